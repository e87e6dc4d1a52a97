// What it costs to check an answer with the published schemas, beside reading its text as JSON.
import { type Contenders, Subject, takeTurns } from "./measure.ts";
import { fillAccount } from "./pages.ts";
import type { Part } from "./report.ts";

/** Time per list of 20 pages. */
export const validation: Part = {
  async measure() {
    await using subject = await Subject.start("validation.ts", "list");
    const samples = await takeTurns(
      { warmUp: 5, rounds: 15 },
      {
        "JSON.parse": () => subject.wall("parse", 100),
        validation: () => subject.wall("validate", 100),
      },
    );
    const goals = [{ of: "validation", against: "JSON.parse", atMost: 0.25 }];
    return [
      { name: "validation of a list of 20, against reading it", unit: "µs", baseline: "JSON.parse", samples, goals },
    ];
  },
};

export const contenders: Contenders = {
  async list() {
    const { createMockService } = await import("#mock-server");
    const { parseValue, pageSchema } = await import("#contract");
    const text = await fillAccount(createMockService().fetch, "https://service.example", 20);
    const parse = () => JSON.parse(text) as { data: unknown[] }; // a list of the mock service
    const { data } = parse();
    return {
      parse,
      /** As who uses the published schemas does with every page of an answer. */
      validate() {
        for (const page of data) if (!parseValue(pageSchema, page).success) throw new Error("not a page");
      },
    };
  },
};

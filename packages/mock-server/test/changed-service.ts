// A service that answers with something else than the mock service does, for checks to look at.
import type { DialectFile, Json } from "@landing-page-service/contract/dialect";
import { type CheckOptions, checkService } from "../src/check.ts";
import type { MockService } from "../src/index.ts";

/** A JSON object of an answer. */
export type Body = { [name: string]: Json };

/** Makes of an answer what is answered instead. */
export type Change = (body: Body) => Json;

/** Checks a service whose every JSON object is changed on its way. */
export function checkChanged(service: MockService, change: Change, compare?: DialectFile) {
  const options: CheckOptions = {
    baseUrl: service.baseUrl,
    apiKey: "test_check",
    sleep: () => Promise.resolve(),
    fetch: async (request) => {
      const response = await service.fetch(request);
      const text = await response.text();
      if (!text.startsWith("{")) return new Response(text === "" ? null : text, response);
      return new Response(JSON.stringify(change(JSON.parse(text) as Body)), response); // why: an object, by its brace
    },
  };
  return checkService(compare === undefined ? options : { ...options, compare });
}

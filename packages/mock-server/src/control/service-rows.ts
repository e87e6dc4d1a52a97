import { type Gap, gaps } from "@landing-page-service/contract";
import {
  type Dialect,
  type DialectChoice,
  dialectPresets,
  resolveDialect,
} from "@landing-page-service/contract/dialect";
import { type Assignment, catalogueSchema, type Domain } from "../domains/network.ts";
import type { Refusal } from "../http-types.ts";
import type { MockService } from "../service/mock-service.ts";
import { createMockService } from "../service/service.ts";
import { type ControlRow, row, somePage } from "./row.ts";
import { answers, anyAccount, assignment, dialectChange, domainSwitch, page } from "./schemas.ts";

/** Health, dialect and domains. */
export const serviceRows: readonly ControlRow[] = [
  row({
    name: "getHealth",
    method: "GET",
    path: "/__mock/health",
    summary: "Says that the service is ready",
    isAlwaysOpen: true,
    answer: answers.health,
    run: () => ({ status: "ok" }),
  }),
  row({
    name: "listAssumptions",
    method: "GET",
    path: "/__mock/assumptions",
    summary: "Lists the questions that the spec leaves open, with the interpretation in use",
    isAlwaysOpen: true,
    answer: answers.assumptions,
    run: ({ service }) => assumptions(service),
  }),
  row({
    name: "getDialect",
    method: "GET",
    path: "/__mock/dialect",
    summary: "Returns the dialect in use",
    answer: answers.dialect,
    run: ({ service }) => service.dialect,
  }),
  row({
    name: "setDialect",
    method: "PUT",
    path: "/__mock/dialect",
    summary: "Changes the dialect, until the service is reset",
    body: dialectChange,
    example: { dialect: "minimal" },
    answer: answers.dialect,
    run({ service, body }) {
      service.setDialect(body.dialect);
      return service.dialect;
    },
  }),
  row({
    name: "listPresets",
    method: "GET",
    path: "/__mock/dialect/presets",
    summary: "Lists the preset dialects, and says which one is in use",
    answer: answers.presets,
    run: ({ service }) => ({
      data: presetNames.map((name) => ({ name, isInForce: isSame(resolveDialect(name), service.dialect) })),
    }),
  }),
  row({
    name: "sampleDialect",
    method: "POST",
    path: "/__mock/dialect/samples",
    summary: "Shows what each endpoint would respond in a dialect, without changing to it",
    body: dialectChange,
    example: { dialect: "minimal" },
    answer: answers.samples,
    run: async ({ body, service }) => ({ data: await sampleAnswers(body.dialect, service.domains.domains) }),
  }),
  row({
    name: "listDomains",
    method: "GET",
    path: "/__mock/domains",
    summary: "Lists the domains that pages are assigned to",
    answer: answers.domains,
    run: ({ service }) => ({ data: service.domains.domains }),
  }),
  row({
    name: "setDomains",
    method: "PUT",
    path: "/__mock/domains",
    summary: "Replaces the catalogue of domains, until the service is reset",
    body: catalogueSchema,
    example: [{ name: "tea.example", topics: ["tea"], keywords: ["kyoto", "garden"] }],
    answer: answers.domains,
    run({ service, body }) {
      service.setDomains(body);
      return { data: service.domains.domains };
    },
  }),
  row({
    name: "switchDomain",
    method: "PUT",
    path: "/__mock/domains/{id}",
    summary: "Switches one domain on or off, until the service is reset; `{id}` is its name",
    body: domainSwitch,
    example: { active: false },
    answer: answers.domain,
    run({ service, id, body }): object {
      const { domains } = service.domains;
      const known = domains.find(({ name }) => name === id.toLowerCase());
      if (known === undefined) return { refused: 404, detail: "No domain has this name." };
      const switched = { ...known, active: body.active };
      service.setDomains(domains.map((domain) => (domain === known ? switched : domain)));
      return switched;
    },
  }),
  row({
    name: "explainAssignment",
    method: "GET",
    path: "/__mock/assignments/{id}",
    summary: "Explains why a page has its domains",
    query: anyAccount,
    answer: assignment,
    run: ({ service, id, query }): Assignment | Refusal =>
      service.assignment(id, query.key) ?? { refused: 404, detail: "No page has this id." },
  }),
  row({
    name: "evaluatePage",
    method: "POST",
    path: "/__mock/evaluate",
    summary: "Returns the domains that a page would get, without storing it",
    query: anyAccount,
    body: page,
    example: somePage,
    answer: assignment,
    run: ({ service, query, body }) => service.evaluate(body, query.key),
  }),
];

const presetNames = Object.keys(dialectPresets) as (keyof typeof dialectPresets)[]; // why: the table has these names and no others

function isSame(one: Dialect, other: Dialect): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

function assumptions({ dialect }: MockService): object {
  const inForce = new Map<string, string>(Object.entries(dialect.switches));
  const rows = Object.entries<Gap>(gaps).map(([id, { heading, question, readings }]) => {
    const [assumed = ""] = Object.keys(readings);
    const reading = inForce.get(id) ?? assumed;
    return { id, heading, question, reading, meaning: readings[reading], isSwitched: reading !== assumed };
  });
  return { dialect, gaps: rows };
}

/** Sends one request to each endpoint, and two wrong ones, to a new service with the given dialect and domains. */
async function sampleAnswers(dialect: DialectChoice, domains: readonly Domain[]): Promise<object[]> {
  const service = createMockService({ dialect, domains });
  const key = "test_sample";
  const ask = async (name: string, method: string, path: string, content?: object): Promise<object> => {
    const headers = new Headers({ Authorization: `Bearer ${key}`, "Content-Type": "application/json" });
    const body = content === undefined ? undefined : new TextEncoder().encode(JSON.stringify(content));
    const answer = await service.handle({ method, path, query: "", headers, body });
    return { name, method, path, status: answer.status, body: answer.body ?? "" };
  };
  const created = await ask("createPage", "POST", "/api/content", somePage);
  const pageId = service.account(key).pages[0]?.id ?? "";
  const path = `/api/content/${pageId}`;
  return [
    created,
    await ask("listPages", "GET", "/api/content"),
    await ask("updatePage", "PUT", path, { title: "Tea in Uji" }),
    await ask("trackEvent", "POST", "/api/analytics/view", { pageId, timestamp: "2026-01-31T12:00:00Z" }),
    await ask("deletePage", "DELETE", path),
    await ask("a wrong field", "POST", "/api/content", { ...somePage, slug: "Not a slug" }),
    await ask("an unknown page", "DELETE", path),
  ];
}

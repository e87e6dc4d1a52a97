// Checks a service, for example every night. The exit code is 1 if it breaks another documented statement or responds differently than before.
// `node nightly-check.ts last-dialect.json`
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import type { DialectFile } from "@landing-page-service/mock-server";
import { checkService } from "@landing-page-service/mock-server/check";

const file = process.argv[2] ?? "last-dialect.json";
const baseUrl = process.env["LANDING_PAGES_BASE_URL"] ?? "";
const apiKey = process.env["LANDING_PAGES_API_KEY"] ?? "";

const before = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as DialectFile) : undefined; // why: checkService validates it
const report = await checkService({ baseUrl, apiKey, ...(before && { compare: before }) });
const broken = report.statements.filter(({ id, verdict }) => verdict === "broken" && !before?.broken?.includes(id));
for (const { statement } of broken) console.error(`broken: ${statement}`);

const { drift = [] } = report;
for (const { place, expected, found } of drift) console.error(`${place}: expected ${expected}, found ${found}`);
if (before === undefined) writeFileSync(file, JSON.stringify(report.dialect, null, 2));
process.exitCode = report.ok && drift.length === 0 ? 0 : 1;
console.log(process.exitCode === 0 ? "no drift" : "drift");

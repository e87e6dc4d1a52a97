// Watches a service for drift, for instance every night: exit code 1 when it breaks its documentation or reads a gap differently than before.
// `node nightly-check.ts last-dialect.json`
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { checkService } from "@landing-page-service/mock-server/check";

const file = process.argv[2] ?? "last-dialect.json";
const baseUrl = process.env["LANDING_PAGES_BASE_URL"] ?? "";
const apiKey = process.env["LANDING_PAGES_API_KEY"] ?? "";

const report = await checkService({ baseUrl, apiKey });
const broken = report.statements.filter(({ verdict }) => verdict === "broken");
for (const { statement } of broken) console.error(`broken: ${statement}`);

const dialect = JSON.stringify(report.dialect, null, 2);
const changed = existsSync(file) && readFileSync(file, "utf8") !== dialect;
if (changed) console.error(`the service reads a gap differently than last time; compare ${file} with\n${dialect}`);
else writeFileSync(file, dialect);
process.exitCode = broken.length > 0 || changed ? 1 : 0;
console.log(process.exitCode === 0 ? "no drift" : "drift");

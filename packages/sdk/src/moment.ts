// ISO 8601 as people write it, read as a moment.
import { formatTimestamp } from "@landing-page-service/contract";

/**
 * Writes a moment in the one shape that the service documents, `YYYY-MM-DDTHH:MM:SSZ`; fractions of a second are cut off. A text is
 * ISO 8601 with a time and an offset, in its extended or basic form; `undefined` when it is none, or no real moment of the years 0 to 9999.
 */
export function writeMoment(moment: unknown): string | undefined {
  const atMs = moment instanceof Date ? moment.getTime() : typeof moment === "string" ? readMoment(moment) : Number.NaN;
  try {
    return formatTimestamp(new Date(atMs));
  } catch {
    return undefined;
  }
}

const date = /(?<year>\d{4})(?<dash>-?)(?<month>\d\d)\k<dash>(?<day>\d\d)/;
// The fraction belongs to the smallest part that is written, and the comma is ISO's own mark.
const time = /(?<hour>\d\d)(?:(?<colon>:?)(?<minute>\d\d)(?:\k<colon>(?<second>\d\d))?)?(?:[.,](?<fraction>\d+))?/;
const offset = /(?<zone>[Zz]|(?<sign>[+\-\u2212])(?<offsetHour>\d\d)(?::?(?<offsetMinute>\d\d))?)/;
const dateTime = new RegExp(`^${date.source}[Tt ]${time.source}${offset.source}$`);

function readMoment(text: string): number {
  const { groups } = dateTime.exec(text.trim()) ?? {};
  if (groups === undefined) return Number.NaN;
  const part = (name: string) => Number(groups[name] ?? 0);
  const [hour, minute, second] = [part("hour"), part("minute"), part("second")];
  const isEndOfDay = hour === 24 && minute === 0 && second === 0 && !/[1-9]/.test(groups["fraction"] ?? "");
  const isReal = (hour < 24 || isEndOfDay) && minute < 60 && second <= 60 && part("offsetHour") < 24;
  const day = new Date(`${groups["year"]}-${groups["month"]}-${groups["day"]}T00:00:00Z`);
  // Date rolls 30 February over into March.
  if (!isReal || part("offsetMinute") >= 60 || day.getUTCDate() !== part("day")) return Number.NaN;

  const smallestSeconds = groups["second"] !== undefined ? 1 : groups["minute"] !== undefined ? 60 : 3600;
  // In whole numbers: as a fraction, 0.29 of an hour would be a second short.
  const trillionths = Number((groups["fraction"] ?? "").slice(0, 12).padEnd(12, "0"));
  const fractionMs = Math.floor((trillionths * smallestSeconds) / 1e12) * 1000;
  // A leap second is told as the second before it, as clocks that have none do.
  const timeMs = hour * 3_600_000 + minute * 60_000 + Math.min(second, 59) * 1000;
  const offsetMs = (groups["sign"] === "+" ? 1 : -1) * (part("offsetHour") * 3_600_000 + part("offsetMinute") * 60_000);
  return day.getTime() + timeMs + fractionMs - offsetMs;
}

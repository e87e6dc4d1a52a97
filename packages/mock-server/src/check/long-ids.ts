// Identifiers with more digits than a number holds, written shorter, so that learning can take them for the numbers they are.
import { isNumberId } from "./answers.ts";
import type { Exchange } from "./exchange.ts";
import type { View } from "./listing.ts";
import type { Visit } from "./visit.ts";

/** The same visit, every long identifier of digits shortened wherever it stands: what was text stays text, what was a number one. */
export function shortenIds(visit: Visit, exchanges: readonly Exchange[]): [Visit, readonly Exchange[]] {
  const { fullId, twinId, shortestId, movedId, steps, views } = visit;
  const listed = views.made?.pages.map(({ page }) => page.id) ?? [];
  const long = [fullId, twinId, shortestId, movedId, ...listed].filter(
    (id) => id !== undefined && isNumberId(id) && id.length > 15,
  );
  if (long.length === 0) return [visit, exchanges];
  const mark = new RegExp(`(?<!\\d)(?:${long.join("|")})(?!\\d)`, "g");
  const shorten = (text: string) => text.replaceAll(mark, (id) => `9${id.slice(-14)}`);
  const shortenId = (id: string | undefined) => id && shorten(id);
  const known = new Map<Exchange, Exchange>();
  const shortenOne = (exchange: Exchange): Exchange => {
    const shortened = known.get(exchange) ?? shortenExchange(exchange, shorten);
    known.set(exchange, shortened);
    return shortened;
  };
  const shortenView = (view: View): View => ({ ...view, exchanges: view.exchanges.map(shortenOne) });
  const shortened: Visit = {
    ...visit,
    fullId: shortenId(fullId),
    twinId: shortenId(twinId),
    shortestId: shortenId(shortestId),
    movedId: shortenId(movedId),
    steps: Object.fromEntries(Object.entries(steps).map(([step, exchange]) => [step, shortenOne(exchange)])),
    views: Object.fromEntries(Object.entries(views).map(([name, view]) => [name, shortenView(view)])),
  };
  return [shortened, exchanges.map(shortenOne)];
}

function shortenExchange({ request, answer, failure }: Exchange, shorten: (text: string) => string): Exchange {
  const headers = Object.entries(answer?.headers ?? {}).map(([name, value]) => [name, shorten(value)]);
  return {
    request: {
      ...request,
      path: shorten(request.path),
      ...(request.body !== undefined && { body: shorten(request.body) }),
    },
    answer: answer && { ...answer, headers: Object.fromEntries(headers), body: shorten(answer.body) },
    ...(failure !== undefined && { failure }),
  };
}

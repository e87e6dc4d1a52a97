// The answers of a visit, told apart, each with what is known of it.
import type { EndpointName } from "@landing-page-service/contract";
import type { Exchange } from "./exchange.ts";
import { type Alike, seeRefusals } from "./learn-errors.ts";
import { seeLists } from "./list-samples.ts";
import { listDomains, seePages, type Sight, type Told } from "./samples.ts";
import { shortenIds, type Visit } from "./visit.ts";

/** What templates are learned of and compared with. */
export interface Sights extends Told {
  /** By the name of the template that they are answers in. */
  readonly answers: Readonly<Record<EndpointName | "emptyList" | "emptyAccount", readonly Sight[]>>;
  /** Lists that should have pages, whether any is found in them or not. */
  readonly due: readonly Sight[];
  readonly refusals: readonly Alike[];
}

/** Tells the answers of a visit apart. `exchanges` is everything that was said, cleaning up included. */
export function seeAnswers(...said: [visit: Visit, exchanges: readonly Exchange[]]): Sights {
  const [visit, exchanges] = shortenIds(said);
  const told = { visit, domains: listDomains(visit) };
  const { due, ...lists } = seeLists(visit);
  return { ...told, answers: { ...seePages(told, exchanges), ...lists }, due, refusals: seeRefusals(visit, exchanges) };
}

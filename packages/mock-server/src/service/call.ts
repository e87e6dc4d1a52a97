import type { EndpointName } from "@landing-page-service/contract";
import type { Route } from "../api/routes.ts";
import type { PlainRequest } from "../exchange/plain.ts";
import type { Account, AccountState, Caller } from "../state/accounts.ts";
import type { RateState } from "../state/limiter.ts";
import type { Strike } from "../testing/faults.ts";

/** A request on its way through the service. */
export interface Call {
  readonly request: PlainRequest;
  readonly route: Route;
  /** The endpoint that it reaches; `undefined` where it reaches none. */
  readonly endpoint: EndpointName | undefined;
  readonly id: string;
  readonly startedAtMs: number;
  /** The same moment as nobody moves it. */
  readonly realStartMs: number;
  readonly key: string | undefined;
  readonly account: Account | undefined;
  /** The account, or whoever has none. */
  readonly caller: Caller;
  /** The account whose `fetch` was used. */
  readonly via: Account | undefined;
  /** The account's state when the request began; once the account has another one, the call writes nothing. */
  readonly state: AccountState | undefined;
  readonly strike: Strike | undefined;
  readonly isAllowed: boolean;
  readonly rate: RateState;
}

/** Whether the account has another state than when the request began. */
export function wasReset({ account, state }: Call): boolean {
  return account?.state !== state;
}

import type { AccountHandle } from "./account-handle.ts";
import type { MockService } from "./mock-service.ts";

/** An account that one test has for itself. */
export interface TestAccount extends AccountHandle {
  /** Its API key, new for every test; where the service has a `random` of its own, it follows from the test's name. Once the test has ended, it opens nothing. */
  readonly apiKey: string;
  /** The service that the account lives in, shared with the other tests of the file. */
  readonly service: MockService;
}

import { nodeCrypto } from "../exchange/node-crypto.ts";
import type { Accounts } from "../state/accounts.ts";
import type { Fault } from "../testing/faults.ts";
import { resetAccount } from "./account-handle.ts";
import type { MockService } from "./mock-service.ts";
import type { MockServiceOptions } from "./options.ts";
import { assemble, present } from "./service.ts";

/** A service that tests share. */
export interface SharedService {
  readonly service: MockService;
  /** Notes how the service is: accounts, dialect, domains, clock, faults, listeners. @returns what makes it so again, and gives the faults that were added meanwhile. */
  readonly keep: () => () => Fault[];
  /**
   * Opens an empty account for a test; where the service has a `random` of its own, with a key that follows from the test's
   * name, and so the same identifiers each time.
   */
  readonly open: (testName: string | undefined) => TestKey;
}

/** The key of a test's account. */
interface TestKey {
  readonly apiKey: string;
  /** Ends the account with all it holds, and its waits: whoever sends the key afterwards is told so. */
  readonly end: () => void;
}

/** The same, for tests that are kept apart. */
export function createSharedService(options: MockServiceOptions): SharedService {
  const parts = assemble(options);
  const { manner, toolbox, accounts, archive, anonymous, seed } = parts;
  return {
    service: present(parts),
    keep() {
      const putBack = [manner.keep(), archive.keep(), () => anonymous.reset()];
      const takeBack = toolbox.keep(accounts.all());
      return () => {
        for (const put of putBack) put();
        return takeBack();
      };
    },
    open(testName) {
      const isNamed = options.random !== undefined && testName !== undefined;
      const apiKey = isNamed ? nameKey(`${seed} ${testName}`, accounts) : `test_${nodeCrypto().randomUUID()}`;
      const { account, end } = accounts.openForTest(apiKey);
      return {
        apiKey,
        end() {
          toolbox.waits.end(account, "The test ended");
          resetAccount(parts, account);
          end();
        },
      };
    },
  };
}

/** A key that follows from a text, and that nobody else has now. */
function nameKey(text: string, accounts: Accounts): string {
  for (let count = 1; ; count += 1) {
    const key = `test_${nodeCrypto().hash("sha256", `${text} ${count}`, "hex").slice(0, 32)}`;
    if (!accounts.isOpen(key)) return key;
  }
}

import { createdId, type Exchange, hasSucceeded } from "./exchange.ts";
import { broken, holds, type Judgement, unseen } from "./finding.ts";
import type { Visit } from "./visit.ts";

/** Whether what answers tell of a page is what paths want. */
export function judgeIdentifier({ steps, fullId }: Visit, exchanges: readonly Exchange[]): Judgement {
  if (!hasSucceeded(steps.create)) return unseen("no page could be made", steps.create);
  const told = createdId(steps.create);
  const wrong = `${told ?? fullId}, from the answer to a ${told === undefined ? "list" : "create"}, does not address the page`;
  if (fullId === undefined)
    return broken(
      `${told === undefined ? "no answer tells its identifier" : wrong}, so no other page was made`,
      steps.create,
    );
  if (!hasSucceeded(steps.updateTitle))
    return hasSucceeded(steps.delete)
      ? holds("a delete finds a page by it, although no update does", steps.create, steps.delete)
      : broken(wrong, steps.create, steps.updateTitle);
  const address = decodeURIComponent(steps.updateTitle?.request.path.split("/").at(-1) ?? "");
  const path = `/api/content/${encodeURIComponent(told ?? fullId)}`;
  if (!exchanges.some((one) => one.request.path === path && hasSucceeded(one)))
    return broken(`${wrong}; ${address} does`, steps.create, steps.updateTitle);
  return holds(`${fullId} addresses the page`, steps.create, steps.updateTitle);
}

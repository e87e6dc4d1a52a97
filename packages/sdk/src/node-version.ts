// Imported before all else, so that who runs an old Node reads one sentence, and not what it does not know.
import { refuseOldNode } from "@landing-page-service/contract/node-version";

refuseOldNode("@landing-page-service/sdk");

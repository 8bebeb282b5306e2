import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The root of the repository. Tests run from `dist`, where what is not compiled is not beside them. */
export const root = fileURLToPath(new URL(".", import.meta.resolve("#package.json")));
export const program = join(root, "infra/cli/touchledger.js");
/** Real data that a checkout may have beside it. */
export const sharedData = join(root, "../shared/data");

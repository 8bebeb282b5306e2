import { DataDirectoryUnusable } from "../../data-directory/data-directory.ts";
import { type CheckMessage, checkStore } from "./check-store.ts";

/** Checks the store in the directory of its argument: posts the share that is done, and finally the result. */
const post = (message: CheckMessage): void => void process.send?.(message);

try {
  post({ check: await checkStore(process.argv[2] ?? "", (share) => post({ share })) });
} catch (failure) {
  if (!(failure instanceof DataDirectoryUnusable)) throw failure;
  post({ unusable: failure.message });
}
process.disconnect();

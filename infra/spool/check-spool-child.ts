import { everyNth } from "../data-directory/every-nth.ts";
import { probeSpool, SpoolOfAnotherVersion } from "./stored-batches.ts";

/** Batches between two messages that show that the probe goes on. */
const batchesAtOnce = 1_000;

/** Probes the spool in a directory; returns null, or why its file cannot be used. */
function fault(directory: string): string | null {
  try {
    probeSpool(
      directory,
      everyNth(batchesAtOnce, () => process.send?.({ fault: null })),
    );
    return null;
  } catch (failure) {
    // Reported when the spool is opened.
    return failure instanceof SpoolOfAnotherVersion ? null : String(failure);
  }
}

process.send?.({ fault: fault(process.argv[2] ?? "") });
process.disconnect();

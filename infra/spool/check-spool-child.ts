import { probeSpool, SpoolOfAnotherVersion } from "./stored-batches.ts";

/** Probes the spool in a directory; returns null, or why its file cannot be used. */
function fault(directory: string): string | null {
  try {
    probeSpool(directory);
    return null;
  } catch (failure) {
    // Reported when the spool is opened.
    return failure instanceof SpoolOfAnotherVersion ? null : String(failure);
  }
}

process.send?.({ fault: fault(process.argv[2] ?? "") });
process.disconnect();

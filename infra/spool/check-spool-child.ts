import { probeSpool, SpoolOfAnotherVersion } from "./spool.ts";

/** Probes the spool in the directory that is its argument: posts null, or why its file is not to be used. */
function fault(directory: string): string | null {
  try {
    probeSpool(directory);
    return null;
  } catch (failure) {
    // Said when it is opened.
    return failure instanceof SpoolOfAnotherVersion ? null : String(failure);
  }
}

process.send?.({ fault: fault(process.argv[2] ?? "") });
process.disconnect();

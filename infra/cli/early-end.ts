import { constants } from "node:os";

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
const releaseTimeoutMs = 20_000;

type Release = () => Promise<void>;

const releases = new Set<Release>();
let ending: Promise<never> | null = null;

/** Ends the process after releasing what the command has started. Safe to call again: the first exit code counts. */
function endEarly(exitCode: number): Promise<never> {
  ending ??= new Promise<never>(() => {
    setTimeout(() => process.exit(exitCode), releaseTimeoutMs);
    void Promise.allSettled([...releases].map((release) => release())).then(() => process.exit(exitCode));
  });
  return ending;
}

/**
 * Calls `release` when a signal ends the command before its work is done. Without it, an embedded Postgres would keep
 * running: Ctrl-C does not reach its process group.
 * @returns a function that forgets `release`
 */
export function releaseOnSignals(release: Release): () => void {
  const onSignal = (signal: NodeJS.Signals): void => void endEarly(128 + constants.signals[signal]);
  for (const signal of signals) process.on(signal, onSignal);
  releases.add(release);
  return () => {
    for (const signal of signals) process.off(signal, onSignal);
    releases.delete(release);
  };
}

/**
 * Ends the command when its output cannot be written: quietly, as `SIGPIPE` would, if the program that reads it has ended
 * (`| head`), else with the reason, as on a full disk.
 */
export function endWithOutput(): void {
  process.stdout.on("error", (failure: NodeJS.ErrnoException) => {
    // A command that writes a file to standard output reports this itself.
    if (process.stdout.listenerCount("error") > 1) return;
    if (failure.code !== "EPIPE" && ending === null)
      console.error(`Standard output cannot be written: ${failure.message}.`);
    void endEarly(failure.code === "EPIPE" ? 128 + constants.signals.SIGPIPE : 1);
  });
}

/** Never resolves while the command is being ended early: what fails because of that is not reported. */
export async function blockWhileEnding(): Promise<void> {
  await ending;
}

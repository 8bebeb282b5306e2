import { fork } from "node:child_process";

/** Maximum time between messages: a damaged file can make LMDB loop. */
const silenceMs = 60_000;

/**
 * Runs a program in a separate process, which may crash without harm to this one.
 * @param onMessage called with every message but the last one
 * @returns the last message, or why there is none
 */
export async function runInChildProcess<Message>(
  program: URL,
  args: readonly string[],
  onMessage: (message: Message) => void = () => {},
): Promise<{ readonly result: Message } | { readonly failure: string }> {
  const child = fork(program, args, { stdio: "ignore", execArgv: [], env: {}, serialization: "advanced" });
  let last: { readonly result: Message } | null = null;
  let isSilent = false;
  const watchdog = setTimeout(() => {
    isSilent = true;
    child.kill("SIGKILL");
  }, silenceMs);
  child.on("message", (message: Message) => {
    if (last !== null) onMessage(last.result);
    last = { result: message };
    watchdog.refresh();
  });
  try {
    return await new Promise((resolve, reject) => {
      child.once("error", reject);
      // After the last message, unlike "exit".
      child.once("close", (code, signal) => {
        if (code === 0 && last !== null) resolve(last);
        else resolve({ failure: isSilent ? "reading it did not end" : `reading it ended with ${signal ?? code}` });
      });
    });
  } finally {
    clearTimeout(watchdog);
  }
}

/** What the process that runs a test file tells the runner. */
export type Message =
  | { readonly kind: "test started"; readonly suite: string; readonly test: string }
  | { readonly kind: "test ended"; readonly outcome: "passed"; readonly test: string }
  | { readonly kind: "test ended"; readonly outcome: "skipped"; readonly test: string }
  | { readonly kind: "test ended"; readonly outcome: "failed"; readonly test: string; readonly reason: string }
  /** Something outside of the tests' own code is wrong: a hook, a suite that never ran, a forgotten `only`. */
  | { readonly kind: "fault"; readonly text: string }
  | { readonly kind: "file ended" };

/** Milliseconds that one test of the file may take; in the environment of the process that runs it. */
export const testLimitVariable = "TOUCHLEDGER_TEST_LIMIT_MS";

export function report(message: Message): void {
  process.send?.(message);
}

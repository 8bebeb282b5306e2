/** A message of the runner to a test process. */
export interface FileToRun {
  readonly file: string;
  /** Milliseconds that one test of the file may take. */
  readonly testMs: number;
}

/** A message of a test process to the runner, about the file that it runs. */
export type Message =
  | { readonly kind: "test started"; readonly suite: string; readonly test: string }
  | { readonly kind: "test ended"; readonly outcome: "passed"; readonly test: string }
  | { readonly kind: "test ended"; readonly outcome: "skipped"; readonly test: string }
  | { readonly kind: "test ended"; readonly outcome: "failed"; readonly test: string; readonly reason: string }
  /** Something outside of the tests' own code is wrong: a hook, a suite that never ran, a forgotten `only`. */
  | { readonly kind: "fault"; readonly text: string }
  | { readonly kind: "tests ended"; readonly exitCode: number }
  /** Nothing of the file is open any more. `reusable`: the process may run another file. */
  | { readonly kind: "file closed"; readonly reusable: boolean };

export function report(message: Message): void {
  process.send?.(message);
}

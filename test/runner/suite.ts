import { type Callback, exec, type Test, suite as uvuSuite } from "uvu";
import { report } from "./messages.ts";

interface Declared {
  readonly title: string;
  /** Titles of all tests. */
  readonly titles: Set<string>;
  /** Those that have not run yet. */
  readonly tests: Set<string>;
  runs: boolean;
}

declare global {
  /** Suites that uvu is to run, in groups whose first member is a name. */
  var UVU_QUEUE: unknown[][];
}

let declared: Declared[] = [];
let limitMs = 0;

/** Loads a test file, runs its suites and reports what never ran. */
export async function run(load: () => Promise<unknown>, testMs: number): Promise<void> {
  declared = [];
  limitMs = testMs;
  globalThis.UVU_QUEUE.splice(0, Number.POSITIVE_INFINITY, [null]);
  await load();
  await exec();
  reportWhatNeverRan();
  report({ kind: "tests ended", exitCode: Number(process.exitCode ?? 0) });
  process.exitCode = 0;
}

/**
 * uvu's `suite` with what uvu lacks: a time limit on every test and hook, hooks whose failure counts (uvu swallows
 * that of a `before`), the reason of each failure with its causes, and an account of what ran (uvu succeeds when `run()`
 * was never called), for which each test of a suite has a title of its own.
 */
export function suite<Context>(title = "", context?: Context): Test<Context> {
  const inner = uvuSuite<Context>(title, context);
  const state = declare(title);
  const add = (test: string, handler: Callback<Context>): void => {
    if (state.titles.has(test)) report({ kind: "fault", text: `"${nameOf(title, test)}" is the title of two tests` });
    state.titles.add(test);
    state.tests.add(test);
    inner(test, async (given) => {
      const name = nameOf(title, test);
      report({ kind: "test started", suite: title, test: name });
      try {
        await withinLimit(() => handler(given));
        report({ kind: "test ended", outcome: "passed", test: name });
      } catch (failure) {
        report({ kind: "test ended", outcome: "failed", test: name, reason: reasonOf(failure) });
        throw failure;
      } finally {
        state.tests.delete(test);
      }
    });
  };
  const hook =
    (name: string, register: (handler: Callback<Context>) => void) =>
    (handler: Callback<Context>): void =>
      register(async (given) => {
        try {
          await withinLimit(() => handler(given));
        } catch (failure) {
          report({ kind: "fault", text: `${name} of "${title}" failed: ${textOf(failure)}` });
          throw failure;
        }
      });
  return Object.assign(add, {
    only: (test: string) => report({ kind: "fault", text: `"${nameOf(title, test)}" is marked "only"` }),
    skip: (test = "") => report({ kind: "test ended", outcome: "skipped", test: nameOf(title, test) }),
    before: Object.assign(hook("before", inner.before), { each: hook("before each", inner.before.each) }),
    after: Object.assign(hook("after", inner.after), { each: hook("after each", inner.after.each) }),
    run: () => {
      state.runs = true;
      inner.run();
    },
  });
}

function declare(title: string): Declared {
  const state: Declared = { title, titles: new Set(), tests: new Set(), runs: false };
  declared.push(state);
  return state;
}

function reportWhatNeverRan(): void {
  for (const { title, tests, runs } of declared) {
    if (tests.size === 0) continue;
    const names = [...tests].map((name) => `"${name}"`).join(", ");
    report({ kind: "fault", text: `${runs ? "never ran" : "run() was never called"}: "${title}" with ${names}` });
  }
}

async function withinLimit(work: () => Promise<void> | void): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`took longer than ${limitMs / 1000} s`)), limitMs);
  });
  try {
    await Promise.race([work(), tooLong]);
  } finally {
    clearTimeout(timer);
  }
}

function nameOf(suiteTitle: string, test: string): string {
  return suiteTitle === "" ? test : `${suiteTitle} ${test}`;
}

function textOf(failure: unknown): string {
  return failure instanceof Error ? (failure.stack ?? failure.message) : String(failure);
}

const maxReasonLength = 500;

/** A failure and its causes in one line, which uvu does not print: that of a property is in its cause. */
function reasonOf(failure: unknown): string {
  if (!(failure instanceof Error)) return String(failure);
  const { name, message, details = "", cause } = failure as Error & { readonly details?: string };
  const reason = `${name}: ${message} ${details}`.replaceAll(/\s+/g, " ").trim().slice(0, maxReasonLength);
  return cause === undefined ? reason : `${reason} <- ${reasonOf(cause)}`;
}

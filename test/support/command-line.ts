import { execFile } from "node:child_process";
import type { Command } from "commander";
import { streamsOf } from "./event-store.ts";
import { program } from "./paths.ts";

/** What a process has printed, and its exit code. */
export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs `touchledger` in a process of its own, not on a terminal. `environment` adds to that of this process; `input` is piped. */
export function runProgram(
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  input?: string,
): Promise<Ended> {
  return new Promise((resolve) => {
    const env = { ...process.env, ...streamsOf(environment), ...environment };
    const child = execFile(process.execPath, [program, ...words], { env }, (failure, out, err) => {
      resolve({ code: failure === null ? 0 : Number(failure.code), out, err });
    });
    if (input !== undefined) child.stdin?.end(input);
  });
}

/** What a command has printed in this process, without the last line end; its failure, or an empty text. */
export interface CommandOutput {
  readonly failure: string;
  readonly out: string;
  readonly err: string;
}

/** Runs a command in this process, where it starts faster. */
export async function runCommand(command: Command, words: readonly string[]): Promise<CommandOutput> {
  const [out, err]: [string[], string[]] = [[], []];
  const { log, error } = console;
  console.log = (line) => void out.push(line);
  console.error = (line) => void err.push(line);
  const writeErr = (text: string): void => void err.push(text.trimEnd());
  try {
    for (const each of [command, ...command.commands]) each.exitOverride().configureOutput({ writeErr });
    const running = command.parseAsync(words, { from: "user" });
    const failure = await running.then(() => "", String);
    return { failure, out: out.join("\n"), err: err.join("\n") };
  } finally {
    Object.assign(console, { log, error });
  }
}

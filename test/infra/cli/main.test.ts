import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import packageJson from "#package.json" with { type: "json" };
import { commands } from "../../../infra/cli/command-list.ts";
import { runCommand, runProgram } from "../../support/command-line.ts";
import { program, root } from "../../support/paths.ts";

const inData = (module: string): string => `data:text/javascript,${encodeURIComponent(module)}`;
/** Prints every module that is imported on standard error. */
const printsImports = inData(`import { register } from "node:module";
  register(${JSON.stringify(
    inData(`import { writeSync } from "node:fs";
      export const load = (url, context, next) => { writeSync(2, url + "\\n"); return next(url, context); };`),
  )});`);

/** The output of a command, the names of the modules that it loads on demand, and the packages outside of the bundle. */
async function touchledger(...words: readonly string[]) {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [
    "--import",
    printsImports,
    program,
    ...words,
  ]);
  const found = (pattern: RegExp): readonly string[] => [
    ...new Set(stderr.split("\n").flatMap((line) => pattern.exec(line)?.[1] ?? [])),
  ];
  const modules = found(/\/dist\/traced-program\/(\w+(?:-\w+)*)-\w{8}\.js$/).filter((name) => name !== "chunk");
  return { stdout, modules, packages: found(/\/node_modules\/((?:@[^/]+\/)?[^/]+)/) };
}

const cli = suite("touchledger");

cli("is run by npx from any folder of the project, without an installation into its cache", async () => {
  const cache = await mkdtemp(join(tmpdir(), "touchledger-test-"));
  const env = { ...process.env, npm_config_cache: cache, npm_config_update_notifier: "false" };
  const { stdout } = await promisify(execFile)("npx", ["touchledger", "--version"], { cwd: join(root, "docs"), env });
  assert.is(stdout, `${packageJson.version}\n`);
  assert.is(existsSync(join(cache, "_npx")), false);
  await rm(cache, { recursive: true });
});

for (const words of [["--version"], ["--help"], ["help"]]) {
  cli(`${words.join(" ")} loads no command`, async () => {
    const { stdout, modules, packages } = await touchledger(...words);
    assert.equal([modules, packages], [[], []]);
    if (words[0] !== "--version") for (const name of Object.keys(commands)) assert.match(stdout, ` ${name}`);
  });
}

for (const words of [
  ["verify", "--help"],
  ["help", "verify"],
]) {
  cli(`${words.join(" ")} loads the command, and no other`, async () => {
    const { stdout, modules } = await touchledger(...words);
    assert.match(stdout, commands.verify?.description ?? "");
    assert.equal(modules, ["verify"]);
  });
}

for (const [name, words, place] of [
  ["train", ["--app", "", "--out", "bundle"], "option '--app <name>' argument"],
  ["train", ["--app", "shop", "--out", " "], "option '--out <dir>' argument"],
  ["bundle", ["activate", "spring-1", "--app", ""], "option '--app <name>' argument"],
  ["bundle", ["activate", ""], "command-argument value"],
  ["bundle", ["check", "--app", ""], "option '--app <name>' argument"],
  ["conversion-values", ["show", "--app", ""], "option '--app <name>' argument"],
  ["conversion-values", ["show", "--app", "shop", "--as-of", ""], "option '--as-of <moment>' argument"],
  ["conversion-values", ["decode", "1", "--app", "shop", "--at", ""], "option '--at <moment>' argument"],
  ["conversion-values", ["diff", "--app", "shop", "--from", ""], "option '--from <moment>' argument"],
  ["conversion-values", ["diff", "--app", "shop", "--from", "1", "--to", ""], "option '--to <moment>' argument"],
  ["report", ["run", "--file", "-", "--app", ""], "option '--app <name>' argument"],
  ["export", ["--app", ""], "option '--app <name>' argument"],
  ["audit", ["trace", ""], "command-argument value"],
] as const) {
  cli(`${name} refuses an empty text: ${JSON.stringify(words)}`, async () => {
    const command = await commands[name]?.load();
    if (command === undefined) throw new Error(`there is no ${name}`);
    const { err } = await runCommand(command, words);
    assert.ok(err.startsWith(`error: ${place} '`) && err.endsWith("It is empty."), err);
  });
}

cli("runs the command behind --, as it does without", async () => {
  const { code, err } = await runProgram(["--", "verify", "--nowhere"]);
  assert.equal([code, err], [1, "error: too many arguments for 'verify'. Expected 0 arguments but got 1.\n"]);
});

cli("starts under NODE_OPTIONS that silence deprecations already", async () => {
  const { code, err } = await runProgram(["--version"], { NODE_OPTIONS: "--no-deprecation" });
  assert.equal([code, err], [0, ""]);
});

cli.run();

// time limit: 60 s
import { readdirSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { DCLinter } from "dclint";
import { validate } from "dockerfile-utils";
import { build } from "esbuild";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { temporaryDirectory } from "../support/application-process.ts";
import { root } from "../support/paths.ts";

/** Lines or texts of what is wrong with a file. */
type Lint = (text: string) => Promise<readonly string[]>;

/** Of {@link DCLinter}, whose types do not resolve outside of a bundler. */
interface LintResult {
  readonly messages: readonly { readonly message: string }[];
}

const lint = suite("The linter of");
let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
let workflowParser: typeof import("@actions/workflow-parser");
lint.before(async () => {
  directory = await temporaryDirectory();
  workflowParser = await loadWorkflowParser(join(directory.path, "workflow-parser.cjs"));
});
lint.after(() => directory.remove());

const lintDockerfile: Lint = async (text) =>
  validate(text).map(({ range, message }) => `line ${range.start.line + 1}: ${message}`);

const compose = new DCLinter({
  rules: {
    // What belongs together stands together.
    "service-keys-order": 0,
    "services-alphabetical-order": 0,
    "top-level-properties-order": 0,
    "require-quotes-in-ports": [1, { quoteType: "double" }],
    // Ours is built, and the proxy is public: files.test.ts says of which images and ports that is so.
    "no-build-and-image": 0,
    "service-image-require-explicit-tag": 0,
    "no-unbound-port-interfaces": 0,
  },
  quiet: true,
  debug: false,
  exclude: [],
});

const lintCompose: Lint = async (text) => {
  const path = join(directory.path, "compose.yml");
  await writeFile(path, text);
  const results: readonly LintResult[] = await compose.lintFiles([path], false);
  return results.flatMap(({ messages }) => messages.map(({ message }) => message));
};

const lintWorkflow: Lint = async (content) => {
  const { parseWorkflow, convertWorkflowTemplate, NoOperationTraceWriter } = workflowParser;
  const { context, value } = parseWorkflow({ name: "workflow", content }, new NoOperationTraceWriter());
  if (value !== undefined) await convertWorkflowTemplate(context, value);
  return context.errors.getErrors().map(({ message }) => message);
};

const linted: readonly (readonly [string, Lint, readonly (readonly [string, string, RegExp])[]])[] = [
  [
    "Dockerfile",
    lintDockerfile,
    [
      ["USER node", "USRE node", /Unknown instruction: USRE/],
      ["--from=build", "--form=build", /Unknown flag: form/],
    ],
  ],
  ...["deploy/compose.yml", "deploy/compose.cluster.yml"].map(
    (path) =>
      [
        path,
        lintCompose,
        [
          ["restart:", "restrt:", /additional properties/],
          ['ports: ["80:80", "443:443", "443:443/udp"]', "ports: 80", /must be array/],
          ["init: true", "init: [true]", /\/init".*must be boolean/],
          ["internal: true", "intrnal: true", /networks\/inner".*additional properties/],
        ],
      ] as const,
  ),
  ...readdirSync(join(root, ".github/workflows")).map(
    (name) =>
      [
        `.github/workflows/${name}`,
        lintWorkflow,
        [
          ["timeout-minutes", "timeout-minuts", /Unexpected value 'timeout-minuts'/],
          ["matrix.node", "matrixx.node", /Unrecognized named-value: 'matrixx'/],
          ['cron: "', 'cron: "61 ', /Invalid cron expression/],
        ],
      ] as const,
  ),
];

for (const [path, lintText, planted] of linted) {
  const text = readFileSync(join(root, path), "utf8");
  lint(`${path} finds nothing, and what is planted`, async () => {
    assert.equal(await lintText(text), []);
    for (const [right, wrong, found] of planted) {
      assert.match((await lintText(text.replace(right, wrong))).join("\n"), found);
    }
  });
}

lint.run();

/** The package imports JSON as only bundlers do. */
async function loadWorkflowParser(outfile: string): Promise<typeof workflowParser> {
  const stdin = { contents: 'export * from "@actions/workflow-parser"', resolveDir: root };
  await build({ stdin, outfile, bundle: true, platform: "node", format: "cjs", logLevel: "error" });
  return createRequire(import.meta.url)(outfile);
}

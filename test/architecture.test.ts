import ts from "typescript";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import packageJson from "#package.json" with { type: "json" };
import { cyclesAmong } from "./architecture/cycles.ts";
import { forbiddenImports } from "./architecture/import-table.ts";
import { eachNode, layers, pathsUnder, type SourceFile, sourceFiles } from "./architecture/source-files.ts";

const files = layers.flatMap(sourceFiles);
const application = suite("the application");

application("keeps to the import table", () => {
  const broken = files.flatMap((file) => {
    const forbidden = forbiddenImports(file);
    if (forbidden === null) return [`${file.path} stands too deep, or in no known place`];
    return forbidden.map((imported) => `${file.path} may not import ${imported}`);
  });
  assert.equal(broken, []);
});

application("has no cycles", () => {
  assert.equal(
    cyclesAmong(files).map((cycle) => cycle.join(" -> ")),
    [],
  );
});

application("writes the extension of every file of its own that it imports", () => {
  assert.equal(
    files.flatMap(({ path, imports }) =>
      imports.filter((imported) => !/\.(ts|js|json)$/.test(imported)).map((imported) => `${path}: ${imported}`),
    ),
    [],
  );
});

application("reads the environment only in infra", () => {
  const outside = files.filter(({ path }) => !path.startsWith("infra/"));
  assert.equal(placesOf(outside, "process.env", readsEnvironment), []);
});

application("loads models only in the scorer's process", () => {
  const loading = files.filter(({ packages }) => packages.includes("onnxruntime-node"));
  assert.equal(
    loading.map(({ path }) => path),
    [],
  );
});

application("has a domain without clock, chance and waiting", () => {
  const domain = files.filter(({ path }) => path.startsWith("domain/"));
  assert.equal(placesOf(domain, "looks outside or waits", looksOutside), []);
});

application("has tests of the domain that use no database: the runner starts none for them", () => {
  const users = sourceFiles("test/domain").filter(({ imports }) => imports.includes("test/support/stores.ts"));
  assert.equal(
    users.map(({ path }) => path),
    [],
  );
});

application("has no barrels but the entry of the client's package, and no catch-all folders", () => {
  const homeless = /(^|\/)(utils?|helpers?|common|shared|types)$/;
  const found = layers
    .flatMap(pathsUnder)
    .filter(({ path, isDirectory }) => (isDirectory ? homeless.test(path) : /(^|\/)index\.[jt]s$/.test(path)));
  assert.equal(
    found.map(({ path }) => path).filter((path) => !path.startsWith("client/dist/")),
    ["client/index.ts"],
  );
});

application("reads facts about users only through the views of masking", () => {
  const views = "projections/reports/masking/";
  const readers = ["projections/reports/", "projections/raw-exports/", "read-api/"];
  const statements = files.filter(
    ({ path }) => readers.some((folder) => path.startsWith(folder)) && !path.startsWith(views),
  );
  assert.equal(placesOf(statements, "a table of facts", namesTableOfFacts), []);
});

application("uses every package that it depends on, and in development those of the tests", () => {
  const { dependencies, devDependencies } = packageJson;
  /** Loaded by scripts that are JavaScript. */
  const ofScripts = ["esbuild", "onnxruntime-node"];
  const used = new Set([...files.flatMap(({ packages }) => packages), ...ofScripts]);
  assert.equal(
    Object.keys(dependencies).filter((name) => !used.has(name)),
    [],
  );
  const inTests = new Set(["test", "bench"].flatMap(sourceFiles).flatMap(({ packages }) => packages));
  const tools = ["@biomejs/biome", "@types/node", "typescript-7"];
  assert.equal(
    Object.keys(devDependencies).filter((name) => {
      const typed = name.replace(/^@types\//, "");
      return !inTests.has(typed) && !used.has(typed) && !tools.includes(name);
    }),
    [],
  );
});

application("exports by name", () => {
  assert.equal(placesOf(files, "export default", isDefaultExport), []);
});

application("has classes only for errors, and no enums", () => {
  assert.equal(placesOf(files, "enum", ts.isEnumDeclaration), []);
  assert.equal(placesOf(files, "class", isClassOfTheDomain), []);
});

application("has no file over its size: 250 lines, in infra 350; half of them under 80", () => {
  const limitOf = ({ path }: SourceFile): number => (path.startsWith("infra/") ? 350 : 250);
  const over = files.filter((file) => file.lines > limitOf(file)).map(({ path, lines }) => `${path}: ${lines}`);
  assert.equal(over, []);
  const sizes = files.map(({ lines }) => lines).sort((one, other) => one - other);
  assert.ok((sizes[Math.floor(sizes.length / 2)] ?? 0) < 80, "the median is 80 lines or more");
});

application.run();

function placesOf(among: readonly SourceFile[], what: string, is: (node: ts.Node) => boolean): readonly string[] {
  return among.flatMap(({ path, syntax }) => {
    const places: string[] = [];
    eachNode(syntax, (node) => {
      if (!is(node)) return;
      const { line } = syntax.getLineAndCharacterOfPosition(node.getStart());
      places.push(`${path}:${line + 1} ${what}: ${node.getText().split("\n")[0]}`);
    });
    return places;
  });
}

function readsEnvironment(node: ts.Node): boolean {
  return ts.isPropertyAccessExpression(node) && node.getText() === "process.env";
}

const outsideOfTheDomain =
  /^(process|performance|crypto|fetch|console|setTimeout|setInterval|setImmediate|queueMicrotask|Date\.now|Math\.random)$/;

function looksOutside(node: ts.Node): boolean {
  if (ts.isAwaitExpression(node) || node.kind === ts.SyntaxKind.AsyncKeyword) return true;
  if (ts.isNewExpression(node)) return node.expression.getText() === "Date" && (node.arguments ?? []).length === 0;
  if (ts.isPropertyAccessExpression(node)) {
    return outsideOfTheDomain.test(node.getText()) || outsideOfTheDomain.test(node.expression.getText());
  }
  return (
    ts.isCallExpression(node) && ts.isIdentifier(node.expression) && outsideOfTheDomain.test(node.expression.getText())
  );
}

const tablesOfFacts = /^\.(touchpoints|app_events|touchpoint_details|app_event_details|daily_\w+)\b/;

/** Whether a template names, after a schema, a table of facts about users, or one whose name is computed. */
function namesTableOfFacts(node: ts.Node): boolean {
  if (!ts.isTemplateSpan(node) || !/schema$/i.test(node.expression.getText())) return false;
  return tablesOfFacts.test(node.literal.text) || node.literal.text === ".";
}

function isDefaultExport(node: ts.Node): boolean {
  if (ts.isExportAssignment(node)) return true;
  return node.kind === ts.SyntaxKind.DefaultKeyword && !ts.isDefaultClause(node.parent);
}

/** Outside of infra, where connections are held, a class is an error. */
function isClassOfTheDomain(node: ts.Node): boolean {
  if (!ts.isClassDeclaration(node) || node.getSourceFile().fileName.startsWith("infra/")) return false;
  return !node.heritageClauses?.some((clause) => /^extends \w*Error\b/.test(clause.getText()));
}

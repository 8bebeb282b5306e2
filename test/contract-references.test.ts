import { readdirSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { layers, pathsUnder } from "./architecture/source-files.ts";
import { root } from "./support/paths.ts";

const folder = "docs/contract/";

const folders = [...layers, "bench", "test", "docs"];
const named = readdirSync(root).filter((name) => /\.(md|json)$/.test(name) && name !== "package-lock.json");
const paths = [...named, ...folders.flatMap((top) => pathsUnder(top).map(({ path }) => path))];
/** Every text file of the repository by its path from the root. */
const texts = new Map(
  paths
    .filter((path) => /\.(ts|js|md|json)$/.test(path))
    .map((path) => [path, readFileSync(posix.join(root, path), "utf8")]),
);
const pages = [...texts.keys()].filter((path) => path.startsWith(folder));

interface Reference {
  readonly from: string;
  /** The page's path from the root. */
  readonly page: string;
  readonly anchor: string | null;
}

/** The anchors that GitHub gives the headings of a page. */
function anchorsOf(page: string): ReadonlySet<string> {
  const withoutCode = (texts.get(page) ?? "").replace(/^```[\s\S]*?^```/gm, "");
  const headings = [...withoutCode.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = ""]) => heading);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, "")
        .replaceAll(" ", "-"),
    ),
  );
}

/** `contract/<page>.md#<anchor>` in any file, and the links between pages. */
function referencesIn(path: string, text: string): readonly Reference[] {
  const inText = [...text.matchAll(/\bcontract\/([a-z-]+\.md)(?:#([a-z0-9-]+))?/g)];
  const links = path.startsWith(folder) ? [...text.matchAll(/\]\(([a-z-]+\.md)?(?:#([a-z0-9-]+))?\)/g)] : [];
  return [...inText, ...links].map(([, page, anchor = null]) => ({
    from: path,
    page: page === undefined ? path : `${folder}${page}`,
    anchor,
  }));
}

const references = [...texts].flatMap(([path, text]) => referencesIn(path, text));
const contract = suite("references to the contract");

contract("resolve to a heading", () => {
  const anchors = new Map(pages.map((page) => [page, anchorsOf(page)]));
  const dead = references.filter(({ page, anchor }) => {
    const known = anchors.get(page);
    return known === undefined || (anchor !== null && !known.has(anchor));
  });
  assert.equal(
    dead.map(({ from, page, anchor }) => `${from}: ${page}#${anchor}`),
    [],
  );
});

contract("reach every page from the code", () => {
  const reached = new Set(references.filter(({ from }) => !from.endsWith(".md")).map(({ page }) => page));
  const list = `${folder}README.md`;
  assert.equal(
    pages.filter((page) => page !== list && !reached.has(page)),
    [],
  );
});

contract("are the only ones: no document outside of the repository is named", () => {
  const outside = [
    /\bD\d{1,2}\.\d{1,2}\b/,
    /\b(design|craft|application) \d+(\.\d+)?\b(?! (kilo|mega)?bytes)/i,
    /\((A|C)(, |: |\))/,
    /\/\*\* [AC][:,] /,
  ];
  const self = "test/contract-references.test.ts";
  const found = [...texts].flatMap(([path, text]) =>
    path === self
      ? []
      : outside.flatMap((pattern) => {
          const [match] = pattern.exec(text) ?? [];
          return match === undefined ? [] : [`${path}: ${match}`];
        }),
  );
  assert.equal(found, []);
});

contract.run();

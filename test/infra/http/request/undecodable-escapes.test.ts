import querystring from "node:querystring";
import type { Request, Response } from "express";
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { readLinkPath } from "../../../../commands/link-serving/link-paths.ts";
import { parameterValues, parseQuery, pathsDecodable } from "../../../../infra/http/request/url-text.ts";
import { createHttpApp } from "../../../../infra/http/server/http-app.ts";

const parseLinkQuery = createHttpApp().get("query parser fn") as (query: string) => unknown;

/** The exceptions of decoding: of `decodeURIComponent`, and of Node's `unescape`, which catches them. */
function exceptionsOf(decodeAll: () => void): number {
  const { decodeURIComponent: decode } = globalThis;
  const { unescape: unescapePart } = querystring;
  let count = 0;
  const counting = (text: string): string => {
    try {
      return decode(text);
    } catch (failure) {
      count += 1;
      throw failure;
    }
  };
  globalThis.decodeURIComponent = counting;
  querystring.unescape = (text) => {
    try {
      return counting(text);
    } catch {
      return unescapePart(text);
    }
  };
  try {
    decodeAll();
  } finally {
    globalThis.decodeURIComponent = decode;
    querystring.unescape = unescapePart;
  }
  return count;
}

const decodeNames = (part: string) => `/?${`${part}&`.repeat(1_000)}`;
const decodeValues = (part: string) => `/?${`token=${part}&`.repeat(1_000)}`;
const path = (part: string) => `/${part}`.repeat(1_000);

const undecodable = suite("a URL with a thousand undecodable escapes");

for (const [name, decodeAll] of [
  ["the parameters of a route", (part) => parseQuery(decodeNames(part), new Map())],
  ["names of parameters", (part) => parameterValues(decodeNames(part), "token")],
  ["values of parameters", (part) => parameterValues(decodeValues(part), "token")],
  ["the parameters of a link", (part) => parseLinkQuery(decodeValues(part))],
  ["the path of a link", (part) => readLinkPath(path(part))],
  ["a path", (part) => pathsDecodable()({ url: path(part) } as Request, {} as Response, () => {})],
] as const satisfies readonly (readonly [string, (part: string) => unknown])[]) {
  undecodable(`throws no exceptions: ${name}`, () => {
    for (const part of ["%ff", "%41%", "%zz", "%ed%a0%80"]) {
      assert.is(
        exceptionsOf(() => decodeAll(part)),
        0,
        part,
      );
    }
  });
}

undecodable.run();

const lenient = suite("the query of a link");

lenient("is parsed as by Node.js, whatever is undecodable", () => {
  const query = fc.string({ unit: fc.constantFrom("%", "f", "4", "1", "%ea%b4%91", "%ff", "&", "=", "+", "é") });
  fc.assert(
    fc.property(query, (text) => {
      // Node.js reads text without escapes as it is; only beside a bad escape is "é" a byte.
      const ascii = text.includes("%") ? text.replaceAll("é", "e") : text;
      assert.equal(parseLinkQuery(ascii), querystring.parse(ascii, "&", "=", { maxKeys: 0 }));
    }),
    { numRuns: 2_000 },
  );
});

lenient.run();

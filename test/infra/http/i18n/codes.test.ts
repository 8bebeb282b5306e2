import ts from "typescript";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { catalogues, hasMessage } from "../../../../infra/http/i18n/messages.ts";
import { eachNode, sourceFiles } from "../../../architecture/source-files.ts";

const sources = ["domain", "commands", "projections", "read-api", "infra/http"].flatMap(sourceFiles);

/** Strings of the sources, and what stands before the first placeholder of those with placeholders. */
const literals = new Set<string>();
const prefixes = new Set<string>();
/** The codes that calls name: `fault("missing", ...)`, `rejectField("SHORT_ID_TAKEN", ...)`. */
const named = new Set<string>();
const schemaTexts = { types: new Set<string>(), formats: new Set<string>() };

/** Schemas of answers, which callers cannot violate. */
const isDocumentation = (path: string): boolean => path.endsWith("docs.ts") || path.startsWith("infra/http/openapi/");

for (const { path, syntax } of sources) {
  eachNode(syntax, (node) => {
    if (ts.isStringLiteralLike(node)) literals.add(node.text);
    if (ts.isTemplateExpression(node) && node.head.text !== "") prefixes.add(node.head.text);
    if (ts.isTemplateExpression(node) && node.head.text === "") {
      const suffix = node.templateSpans.at(-1)?.literal.text ?? "";
      if (/^\.\w+$/.test(suffix)) prefixes.add(`*${suffix}`);
    }
    if (ts.isCallExpression(node)) {
      const [first] = node.arguments;
      const called = node.expression.getText();
      if (first !== undefined && ts.isStringLiteralLike(first)) {
        if (called === "fault") named.add(first.text);
        if (called === "rejectField") named.add(first.text.toLowerCase());
      }
    }
    if (
      !isDocumentation(path) &&
      ts.isPropertyAssignment(node) &&
      ts.isArrayLiteralExpression(node.initializer) &&
      node.name.getText() === "type"
    ) {
      const types = node.initializer.elements.map((element) => (ts.isStringLiteralLike(element) ? element.text : ""));
      if (types.every((type) => type !== "")) schemaTexts.types.add(`wrong_type.${types.join("_or_")}`);
    }
    if (
      !isDocumentation(path) &&
      ts.isPropertyAssignment(node) &&
      node.name.getText() === "format" &&
      ts.isStringLiteralLike(node.initializer)
    ) {
      schemaTexts.formats.add(`wrong_format.${node.initializer.text}`);
    }
    if (!isDocumentation(path) && ts.isPropertyAssignment(node) && node.name.getText() === "pattern") {
      const title = node.parent.properties.find((property) => property.name?.getText() === "title");
      const named = title !== undefined && ts.isPropertyAssignment(title) ? title.initializer : node.initializer;
      const isSchema = node.parent.properties.some((property) => property.name?.getText() === "type");
      if (isSchema && ts.isStringLiteralLike(named)) schemaTexts.formats.add(`wrong_format.${named.text}`);
    }
  });
}

const isUsed = (code: string): boolean =>
  literals.has(code) ||
  named.has(code) ||
  [...prefixes].some((prefix) => (prefix.startsWith("*") ? code.endsWith(prefix.slice(1)) : code.startsWith(prefix))) ||
  literals.has(code.toUpperCase());

const codes = suite("the codes of messages");

codes("are in the catalogues, for every fault of the sources", () => {
  assert.ok(named.size > 50);
  assert.equal(
    [...named].filter((code) => !hasMessage(code)),
    [],
  );
});

codes("are in the catalogues, for the types, formats and patterns of every schema", () => {
  const { types, formats } = schemaTexts;
  assert.ok(types.size > 5 && formats.size > 5);
  // Keys of certificates and of downloads, not of schemas, and a pattern of a route with problems of its own.
  const others = ["wrong_format.pem", "wrong_format.der", "wrong_format.\\P{White_Space}"];
  assert.equal(
    [...types, ...formats].filter((code) => !hasMessage(code) && !others.includes(code)),
    [],
  );
});

codes("are used by the sources, each of them", () => {
  assert.equal(
    Object.keys(catalogues.en).filter((code) => !isUsed(code)),
    [],
  );
});

codes.run();

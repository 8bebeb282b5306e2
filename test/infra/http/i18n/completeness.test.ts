import ts from "typescript";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { languages } from "../../../../domain/values/language.ts";
import { words } from "../../../../infra/http/i18n/message-catalogue.ts";
import { schemaFaults } from "../../../../infra/http/i18n/schema-faults.ts";
import { translations } from "../../../../infra/http/i18n/translate.ts";
import { sourceFiles } from "../../../architecture/source-files.ts";
import { callerTexts } from "./caller-texts.ts";

/** Files whose texts no answer of the API gives its caller as words of ours to translate. */
const elsewhere: readonly (readonly [RegExp, string])[] = [
  [/^infra\/http\/translations\//, "the translations themselves"],
  [/^infra\/http\/validation\.ts$/, "schema-faults.test.ts asks the validator itself"],
  [/^commands\/touchpoints\/visitor-pages\.ts$/, "pages for visitors"],
];

const files = ["domain", "commands", "read-api", "infra/http"]
  .flatMap(sourceFiles)
  .filter(({ path }) => !elsewhere.some(([pattern]) => pattern.test(path)));

/** A text as the sources spell it, whatever is put in. */
const shapeOf = (text: string): string => text.replaceAll(/\{\w*\}/g, "{}");
const shapes = new Set(Object.keys(translations).map(shapeOf));
/** Of what is put together from other texts alone there is nothing to translate. */
const hasWords = (text: string): boolean => /[a-z]/i.test(text.replaceAll("{}", ""));
const isKnown = (text: string): boolean =>
  shapes.has(text) || shapes.has(text.replaceAll(/\d+/g, "{}")) || !hasWords(text);

const complete = suite("what callers are told");

complete("has its words in every language, wherever in the sources it stands", () => {
  const missing = files.flatMap((file) =>
    callerTexts(file)
      .filter((text) => !isKnown(text))
      .map((text) => `${file.path}: ${text}`),
  );
  assert.equal(missing, []);
});

complete("is found in the sources by its place or by how it reads", () => {
  const source = `
    const faults = { a: "must be a letter", b: \`must have \${count} letters\` };
    refuse({ ...problem, title: "Gone", detail: isLate ? "Late" : "Early" });
    const message = "There are more than " + \`\${most} \` + "of them.";
    check("is not one", "channel", "from the log");
    const byKind = new Map(kinds.map((kind) => [kind, "currency must be known."]));
    throw new Error("This must not be.");
    throw new UnreadableFile("is no file");
  `;
  const syntax = ts.createSourceFile("example.ts", source, ts.ScriptTarget.Latest, true);
  assert.equal(callerTexts({ syntax }), [
    "must be a letter",
    "must have {} letters",
    "Gone",
    "Late",
    "Early",
    "There are more than {} of them.",
    "is not one",
    "currency must be known.",
    "is no file",
  ]);
});

complete("holds nothing that nobody says any more", () => {
  const said = new Set(files.flatMap(callerTexts).flatMap((text) => [text, text.replaceAll(/\d+/g, "{}")]));
  /** What is put together of other texts, or said by the validator of schemas, stands nowhere in the sources. */
  const isComposed = (english: string): boolean =>
    /\{(cell|fault)\}/.test(english) || Object.hasOwn(schemaFaults, english);
  assert.equal(
    Object.keys(translations).filter((english) => !said.has(shapeOf(english)) && !isComposed(english)),
    [],
  );
});

complete("has a word in every language for each kind of key that a report may not know", () => {
  const kinds = files.flatMap(({ syntax }) =>
    [...syntax.text.matchAll(/\bunknownKey\([^;]*?, "([a-z -]+)"\)/g)].map(([, kind]) => kind ?? ""),
  );
  assert.ok(kinds.includes("metric") && kinds.includes("group-by"));
  assert.equal(
    kinds.filter((kind) => !Object.hasOwn(words, kind)),
    [],
  );
});

complete("puts in whatever the English text puts in, in every language", () => {
  const placeholders = (text: string): readonly string[] => (text.match(/\{\w+\}/g) ?? []).sort();
  for (const [english, translation] of Object.entries(translations)) {
    for (const [language, text] of Object.entries(translation)) {
      assert.equal(new Set(placeholders(text)), new Set(placeholders(english)), `${english} (${language})`);
    }
  }
});

complete("is polite, and in the letters of its language", () => {
  const letters = { ko: /\p{Script=Hangul}/u, ja: /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u };
  for (const [english, { ko, ja }] of Object.entries(translations)) {
    if (hasWords(shapeOf(english))) {
      assert.match(ko, letters.ko, english);
      assert.match(ja, letters.ja, english);
    }
    assert.not.match(ko, letters.ja, english);
    assert.not.match(ja, letters.ko, english);
    // 합니다체, です・ます体.
    assert.not.match(ko, /(?<!니)다\.?$/u, english);
    assert.not.match(ja, /(だ|である|ない)。?$/u, english);
  }
  assert.equal([...languages], ["en", ...Object.keys(letters)]);
});

complete.run();

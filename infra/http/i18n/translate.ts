import type { Language } from "../../../domain/values/language.ts";
import { contextMessages } from "./context.ts";
import { conversionValueMessages } from "./conversion-values.ts";
import { fieldFaults } from "./field-faults.ts";
import { alternatives, words } from "./message-catalogue.ts";
import { items } from "./message-items.ts";
import { notifications } from "./notifications.ts";
import { problemDetails } from "./problem-details.ts";
import { problemTitles } from "./problem-titles.ts";
import { rejections } from "./rejections.ts";
import type { Translation, Translations } from "./translation.ts";

/** Every text that callers read, by its English words. */
export const translations: Translations = {
  ...problemTitles,
  ...problemDetails,
  ...rejections,
  ...fieldFaults,
  ...items,
  ...notifications,
  ...contextMessages,
  ...conversionValueMessages,
};

type Translating = keyof Translation;

interface Template {
  readonly expression: RegExp;
  readonly placeholders: readonly string[];
  readonly translation: Translation;
}

const placeholder = /\{(\w+)\}/g;
/** What a placeholder may stand for, where any text would be too much. */
const patterns: { readonly [name: string]: string } = {
  fault: "(?:boolean|is|must|property) .+",
  field: ".+?",
  json: `"[^"]*"|-?[\\d.]+|true|false|null`,
  limit: "-?[\\d.,]+",
  others: "[\\d,]+",
  row: "\\d+",
  rows: "[\\d, ]+",
};
/** Placeholders that stand for words, or for another text, which are translated themselves. */
const worded: readonly string[] = ["format", "types", "what"];
const nested: readonly string[] = ["cell", "fault"];

const whole = new Map(Object.entries(translations).filter(([english]) => !english.includes("{")));
/** The most particular first: those with the most letters of their own. */
const templates: readonly Template[] = Object.entries(translations)
  .filter(([english]) => english.includes("{"))
  .sort(([one], [other]) => lettersOf(other) - lettersOf(one))
  .map(([english, translation]) => templateOf(english, translation));

/** A text for callers in their language; one that nobody has translated as it is. */
export function translate(text: string, language: Language): string {
  return language === "en" ? text : (translated(text, language) ?? text);
}

function translated(text: string, language: Translating): string | null {
  const known = whole.get(text);
  if (known !== undefined) return known[language];
  for (const { expression, placeholders, translation } of templates) {
    const [, ...found] = expression.exec(text) ?? [];
    if (found.length === 0) continue;
    const values = placeholders.map((name, index) => [name, shownFor(name, found[index] ?? "", language)] as const);
    if (values.some(([, value]) => value === null)) continue;
    const shown = new Map(values);
    return translation[language].replace(placeholder, (_, name: string) => shown.get(name) ?? "");
  }
  return null;
}

/** What stands in the place of a placeholder; null: this is no text of its template. */
function shownFor(name: string, found: string, language: Translating): string | null {
  if (nested.includes(name)) return translated(found, language);
  return worded.includes(name) ? wordsIn(found, language) : found;
}

function wordsIn(found: string, language: Translating): string | null {
  const word = (it: string): string | null => (Object.hasOwn(words, it) ? (words[it]?.[language] ?? null) : null);
  const parts = word(found) === null ? found.split(" or ").map(word) : [word(found)];
  return parts.includes(null) ? null : parts.join(alternatives[language]);
}

function templateOf(english: string, translation: Translation): Template {
  const parts = english.split(placeholder);
  const source = parts.map((part, index) => (index % 2 === 0 ? escaped(part) : `(${patterns[part] ?? ".+"})`));
  return {
    expression: new RegExp(`^${source.join("")}$`, "s"),
    placeholders: parts.filter((_, index) => index % 2 === 1),
    translation,
  };
}

function lettersOf(english: string): number {
  return english.replaceAll(placeholder, "").length;
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

import type { UploadReason } from "../../../domain/uploads/events.ts";
import type { Language } from "../../../domain/values/language.ts";
import type { Translation } from "./translation.ts";
import { uploadFaults } from "./upload-faults.ts";

type Translating = keyof Translation;

interface Template {
  readonly expression: RegExp;
  readonly placeholders: readonly string[];
  readonly translation: Translation;
}

const placeholder = /\{(\w+)\}/g;
const patterns: { readonly [name: string]: string } = {
  limit: "-?[\\d.,]+",
  others: "[\\d,]+",
  row: "\\d+",
  rows: "[\\d, ]+",
};

const templates: readonly Template[] = Object.entries(uploadFaults)
  .sort(([one], [other]) => lettersOf(other) - lettersOf(one))
  .map(([english, translation]) => templateOf(english, translation));

/** The reason of an upload, which the log holds in English, in a language (contract/http.md#languages). */
export function translatedReason(reason: UploadReason, language: Language): UploadReason {
  if (language === "en") return reason;
  return Object.fromEntries(
    Object.entries(reason).map(([column, texts]) => [column, texts.map((text) => translated(text, language) ?? text)]),
  );
}

function translated(text: string, language: Translating): string | null {
  for (const { expression, placeholders, translation } of templates) {
    const match = expression.exec(text);
    if (match === null) continue;
    const values = placeholders.map((name, index) => {
      const found = match[index + 1] ?? "";
      return [name, name === "cell" ? translated(found, language) : found] as const;
    });
    if (values.some(([, value]) => value === null)) continue;
    const shown = new Map(values);
    return translation[language].replace(placeholder, (_, name: string) => shown.get(name) ?? "");
  }
  return null;
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

import type { IncomingMessage, ServerResponse } from "node:http";
import { type Language, languages } from "../../../domain/values/language.ts";

/** A language range and its weight, as RFC 9110 12.5.4 spells them; no range is the empty element of a list. */
const element = /^([a-z]{1,8}(?:-[a-z0-9]{1,8})*|\*)(?:[ \t]*;[ \t]*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?))?$/;

const [defaultLanguage] = languages;

/**
 * The language that an `Accept-Language` asks for (contract/http.md#languages, RFC 9110 12.5.4): the highest weight
 * wins, of equal ones the earlier. A range means the language that it begins with (`ko-KR`: `ko`); `*` means those that
 * no range names, English before the others; weight 0 excludes what it names exactly. What is no range is passed over.
 * English when nothing is left, or nothing was asked for.
 */
export function preferredLanguage(acceptLanguage: string | undefined): Language {
  if (acceptLanguage === undefined) return defaultLanguage;
  const ranges = rangesOf(acceptLanguage);
  const refused = new Set(ranges.filter(({ weight }) => weight === 0).map(({ range }) => range));
  const named = new Set(ranges.map(({ range }) => range));
  let preferred: Language = defaultLanguage;
  let highest = 0;
  for (const { range, weight } of ranges) {
    if (weight <= highest) continue;
    const language =
      range === "*" ? languages.find((it) => !named.has(it)) : languages.find((it) => it === range.split("-", 1)[0]);
    if (language === undefined || refused.has(language)) continue;
    preferred = language;
    highest = weight;
  }
  return preferred;
}

function rangesOf(header: string): readonly { readonly range: string; readonly weight: number }[] {
  return header.split(",").flatMap((text) => {
    const [, range, weight = "1"] = element.exec(text.trim().toLowerCase()) ?? [];
    return range === undefined ? [] : [{ range, weight: Number(weight) }];
  });
}

/** The language that the caller of a request is answered in. */
export function languageOf({ headers }: Pick<IncomingMessage, "headers">): Language {
  return preferredLanguage(headers["accept-language"]);
}

/** Says which language an answer is in, and that it was asked for (contract/http.md#languages). */
export function setContentLanguage(response: ServerResponse, language: Language): void {
  response.setHeader("Content-Language", language);
  response.setHeader("Vary", "Accept-Language");
}

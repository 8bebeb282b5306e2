import type { ServerResponse } from "node:http";
import type { Request } from "express";
import { type Language, languages } from "../../../domain/values/language.ts";
import { isShortEnoughToParse } from "../request/header-text.ts";

const [defaultLanguage] = languages;
const available = [...languages];

/**
 * The language of the response to a request: the best match for its `Accept-Language` (contract/http.md#languages, RFC
 * 9110 12.5.4). English when nothing matches, or the header is missing or too long.
 */
export function languageOf(request: Request): Language {
  const header = request.headers["accept-language"];
  if (header === undefined || !isShortEnoughToParse(header)) return defaultLanguage;
  const preferred = request.acceptsLanguages(available);
  return available.find((language) => language === preferred) ?? defaultLanguage;
}

/** Sets the headers that name the language of a response (contract/http.md#languages). */
export function setContentLanguage(response: ServerResponse, language: Language): void {
  response.setHeader("Content-Language", language);
  const vary = response.getHeader("Vary");
  response.setHeader("Vary", vary === undefined ? "Accept-Language" : `${vary}, Accept-Language`);
}

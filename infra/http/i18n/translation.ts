import type { Language } from "../../../domain/values/language.ts";

/** A text in each language but English: does not compile while one is missing. */
export type Translation = Readonly<Record<Exclude<Language, "en">, string>>;

/**
 * Translations by their English texts, which are the keys (docs/decisions/016). What differs from answer to answer
 * stands as `{name}` in all three.
 */
export type Translations = { readonly [english: string]: Translation };

/** The languages of responses (contract/http.md#languages), the default first. */
export const languages = ["en", "ko", "ja"] as const;

export type Language = (typeof languages)[number];

/** A text in every language: does not compile while one is missing. */
export type Translated = Readonly<Record<Language, string>>;

/** A text in every language. */
export function texts(en: string, ko: string, ja: string): Translated {
  return { en, ko, ja };
}

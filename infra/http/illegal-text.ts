/** U+0000 and lone surrogates: legal in JSON, refused by Postgres, and so at the edge (D1.6). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: U+0000 is what is looked for
export const illegalText = /[\u0000\ud800-\udfff]/u;

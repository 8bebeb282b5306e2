import { latin, only, readsAsAscii, readsAsLatinAmongIdeographs, readsAsPunctuated } from "./homograph-letters.ts";
import { decodePunycode } from "./punycode.ts";

/**
 * A script's letters, marks and digits; names have no signs (RFC 5892) but those that Hebrew and Tibetan spell with.
 */
const own = (script: string): string => `[\\p{sc=${script}}&&[\\p{L}\\p{M}\\p{Nd}\\u05f3\\u05f4\\u0f0b]]`;

/** Scripts that names are written in beside Latin, none of which may stand in one label with another. */
const scripts: readonly RegExp[] = [
  ...["Armenian", "Bengali", "Cyrillic", "Devanagari", "Ethiopic", "Georgian", "Greek", "Gujarati", "Gurmukhi"],
  ...["Hebrew", "Kannada", "Khmer", "Lao", "Malayalam", "Myanmar", "Oriya", "Sinhala", "Tamil", "Telugu", "Thai"],
  "Tibetan",
].map((script) => only(own(script)));
const arabic = only(`${own("Arabic")}\\u0660-\\u0669`);

/** Whole letters only: a mark could join a Latin letter beside it. */
const han = "[\\p{sc=Han}&&\\p{L}]〇";
const kana = "[[\\p{sc=Hiragana}\\p{sc=Katakana}]&&\\p{L}]\\u3031-\\u3035・ー〆";
const hangulSyllables = "\\uac00-\\ud7a3";
const bopomofo = "[\\p{sc=Bopomofo}&&\\p{L}]";

const oneScript: readonly RegExp[] = [...scripts, arabic];

/** How a label may be written: in one script, or in those that Chinese, Japanese and Korean names mix with Latin. */
const spellings: readonly RegExp[] = [
  only(latin),
  only(latin + han + kana),
  only(latin + han + hangulSyllables),
  only(han + bopomofo),
  ...oneScript,
];

const isAscii = (label: string): boolean => /^[\0-\x7f]*$/.test(label);

/**
 * Whether a host (as URLs normalise it) can be read as another by people: it has a label that mixes scripts, that hides
 * punctuation beside Latin letters, or that is spelled with nothing but look-alikes of ASCII where no neighbour tells
 * its script (the top-level domain; for that itself the label before it) (contract/tracking-links.md#destinations). The
 * lists are those by which Chromium decides to show a host in ASCII; as there is no list here of domains worth
 * imitating, some rules are stricter: no country's domain is an exception, and a letter like a slash may follow no
 * Latin one.
 */
export function isHomographHost(host: string): boolean {
  if (!host.includes("xn--")) return false;
  const labels = host.split(".").filter((label) => label !== "");
  const texts = labels.map((label) => (label.startsWith("xn--") ? decodePunycode(label.slice("xn--".length)) : label));
  return labels.some((label, at) => {
    if (!label.startsWith("xn--")) return false;
    const [text, neighbour] = [texts[at], texts[at === labels.length - 1 ? at - 1 : labels.length - 1]];
    if (typeof text !== "string" || isAscii(text) || !spellings.some((spelling) => spelling.test(text))) return true;
    if (readsAsPunctuated(text) || readsAsLatinAmongIdeographs(text)) return true;
    return readsAsAscii(text) && !tellsScript(neighbour ?? "", text);
  });
}

function tellsScript(neighbour: string, label: string): boolean {
  if (isAscii(neighbour) || readsAsAscii(neighbour)) return false;
  return oneScript.some((script) => script.test(label) && script.test(neighbour));
}

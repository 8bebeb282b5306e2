import { decodePunycode } from "./punycode.ts";

/** Latin letters of orthographies, without the phonetic ones. */
const latin =
  "a-z\\u00df-\\u00f6\\u00f8-\\u0130\\u0132-\\u0137\\u0139-\\u0148\\u014a-\\u017e\\u01a1\\u01b0\\u0219\\u021b\\u1ea0-\\u1ef9";

/** Matches a label of these letters, ASCII digits and hyphens only. */
const only = (letters: string): RegExp => new RegExp(`^[0-9\\-${letters}]+$`, "v");

/**
 * Letters that look like Latin letters or digits, and archaic letters and points, which names do not use. The small
 * capitals в м н т are left out: they are distinguishable, and everyday words (москва) have few other distinct letters.
 * Unicode script properties cannot replace this list: аррӏе.com (apple) and москва.com are both Cyrillic throughout.
 */
const lookAlikes = only(
  [
    "аысԁеԍһіюјӏкорԗԛѕԝхуүъьҽпгѵѡ\\u0483-\\u0487\\u2de0-\\u2dff\\ua640-\\ua69f\\u1d2b", // Cyrillic
    "αγηικνορστυχω\\u0370-\\u037d\\u03d7-\\u03ff\\u1d26-\\u1d2a", // Greek
    "ագզէլհյոսցւօՙ", // Armenian
    "იოყძხჽჿ\\u2d00-\\u2d2d", // Georgian
    "ሀሠሰስበነተከዐዕዘጠፐꬅ", // Ethiopic
    "דוחיןסװײ\\u0591-\\u05c7\\u05f3\\u05f4", // Hebrew
    "اهەہھ", // Arabic
    "ऽॱડટಽടഠധനറଠடப", // Devanagari, Gujarati, Kannada, Malayalam, Oriya, Tamil
    "ခဂငထပဝၔၜ", // Myanmar
    "บพเแๅບພເແ\\u0f0b", // Thai, Lao, Tibetan
    "ㄇㄈㄒㄚㄟㄥㄧㄨㄩㆲㆳㆺ", // Bopomofo
    "\\p{Nd}",
  ].join(""),
);

/** Letters that look like digits: a label of these alone reads as a number. */
const numerals = only("зҙӡоӏіθοιճշօვპउওਤဒဝㄐ\\p{Nd}");

/** Strokes, dots and circles: refused beside a Latin letter or digit. */
const strokes = "丶丿乀乁乛亅丨〇・\\u3031-\\u3035";
/** Slashes and dashes that end words (ビタミンb6, サーバー2, 第一1): refused after a Latin letter or digit. */
const endings = "ノンソゾ一ーゝゞヽヾ";
/** Ideographs that read as letters among Latin ones (t, I, x, y, 4, ol). Rare ideographs are often strokes. */
const ideographs = "七丁丅丆十工エ讠乂メ㐅丫丩이\\u31f0-\\u31ff\\u{10000}-\\u{3ffff}";

const latinOrDigit = `[0-9\\-${latin}]`;
const punctuationBesideLatin = new RegExp(
  [
    `${latinOrDigit}[${strokes}${endings}]`,
    `[${strokes}]${latinOrDigit}`,
    `^[${strokes}${endings}]+(?:${latinOrDigit}|$)`,
    "^・|・$",
  ].join("|"),
  "v",
);
const ideographsAmongLatin = new RegExp(
  `^(?=.*${latinOrDigit})(?=.*[${ideographs}])[0-9\\-${latin}${strokes}${endings}${ideographs}]+$`,
  "v",
);

/** A script's letters, marks and digits, and the signs of Hebrew and Tibetan orthography (RFC 5892). */
const own = (script: string): string => `[\\p{sc=${script}}&&[\\p{L}\\p{M}\\p{Nd}\\u05f3\\u05f4\\u0f0b]]`;

/** Scripts that must not be mixed with another one in a label. */
const scripts: readonly RegExp[] = [
  ...["Armenian", "Bengali", "Cyrillic", "Devanagari", "Ethiopic", "Georgian", "Greek", "Gujarati", "Gurmukhi"],
  ...["Hebrew", "Kannada", "Khmer", "Lao", "Malayalam", "Myanmar", "Oriya", "Sinhala", "Tamil", "Telugu", "Thai"],
  "Tibetan",
].map((script) => only(own(script)));
const arabic = only(`${own("Arabic")}\\u0660-\\u0669`);

/** Letters only: a combining mark could join a Latin letter beside it. */
const han = "[\\p{sc=Han}&&\\p{L}]〇";
const kana = "[[\\p{sc=Hiragana}\\p{sc=Katakana}]&&\\p{L}]\\u3031-\\u3035・ー〆";
const hangulSyllables = "\\uac00-\\ud7a3";
const bopomofo = "[\\p{sc=Bopomofo}&&\\p{L}]";

const oneScript: readonly RegExp[] = [...scripts, arabic];

/** Allowed labels: one script, or the mixes with Latin that Chinese, Japanese and Korean names use. */
const spellings: readonly RegExp[] = [
  only(latin),
  only(latin + han + kana),
  only(latin + han + hangulSyllables),
  only(han + bopomofo),
  ...oneScript,
];

const isAscii = (label: string): boolean => /^[\0-\x7f]*$/.test(label);

/**
 * Whether a host (as URLs normalise it) can be mistaken for another (contract/tracking-links.md#destinations): a label
 * mixes scripts, hides punctuation beside Latin letters, or consists of look-alikes of ASCII while its neighbour (the
 * top-level domain; for that one the label before it) is not in the same script. The letters are those by which
 * Chromium decides to display a host in ASCII. Without a list of domains worth imitating, some rules are stricter: no
 * country's domain is an exception, and a letter like a slash must not follow a Latin one.
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
    return readsAsAscii(text) && !confirmsScript(neighbour ?? "", text);
  });
}

function confirmsScript(neighbour: string, label: string): boolean {
  if (isAscii(neighbour) || readsAsAscii(neighbour)) return false;
  return oneScript.some((script) => script.test(label) && script.test(neighbour));
}

/** Whether a label of another script reads as ASCII. */
function readsAsAscii(label: string): boolean {
  return lookAlikes.test(label) || numerals.test(label);
}

/** Whether a letter reads as a slash, dash, dot, bar or circle: the text before it then looks like the whole host. */
function readsAsPunctuated(label: string): boolean {
  return punctuationBesideLatin.test(label);
}

/** Whether ideographs in a Latin label read as Latin letters. */
function readsAsLatinAmongIdeographs(label: string): boolean {
  return ideographsAmongLatin.test(label);
}

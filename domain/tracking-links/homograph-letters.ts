/** Latin as languages spell names with it; not the phonetic letters, which only resemble others. */
export const latin =
  "a-z\\u00df-\\u00f6\\u00f8-\\u0130\\u0132-\\u0137\\u0139-\\u0148\\u014a-\\u017e\\u01a1\\u01b0\\u0219\\u021b\\u1ea0-\\u1ef9";

/** A label of nothing but these letters, digits and hyphens. */
export const only = (letters: string): RegExp => new RegExp(`^[0-9\\-${letters}]+$`, "v");

/**
 * What people take for Latin letters and digits; archaic letters and points, which names do without, count as such. The
 * small capitals в м н т do not: people tell them apart, and everyday words have little else beside look-alikes (москва).
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

/** What people take for digits, the letters for 0 and 1 among them: a word of these alone reads as a number. */
const numerals = only("зҙӡоӏіθοιճշօვპउওਤဒဝㄐ\\p{Nd}");

/** Strokes, dots and circles, which stand beside no Latin letter or digit. */
const strokes = "丶丿乀乁乛亅丨〇・\\u3031-\\u3035";
/** Slashes and dashes that end words (ビタミンb6, サーバー2, 第一1), and begin none after a Latin letter or digit. */
const endings = "ノンソゾ一ーゝゞヽヾ";
/** What is a letter among Latin ones (t, I, x, y, 4, ol), and a word among its own. Rare ideographs are often strokes. */
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

/** A label that reads as ASCII although all of it is in one other script. */
export function readsAsAscii(label: string): boolean {
  return lookAlikes.test(label) || numerals.test(label);
}

/** A label in which a letter reads as a slash, dash, dot, bar or circle: what is left of it looks like the whole host. */
export function readsAsPunctuated(label: string): boolean {
  return punctuationBesideLatin.test(label);
}

/** A label of Latin letters and digits with ideographs that read as some more of them. */
export function readsAsLatinAmongIdeographs(label: string): boolean {
  return ideographsAmongLatin.test(label);
}

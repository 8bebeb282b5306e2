/** Scripts that names are written in beside Latin, none of which may stand in one name with another. */
const scripts = [
  ...["Arabic", "Armenian", "Bengali", "Cyrillic", "Devanagari", "Ethiopic", "Georgian", "Greek", "Gujarati"],
  ...["Gurmukhi", "Hebrew", "Kannada", "Khmer", "Lao", "Malayalam", "Myanmar", "Oriya", "Sinhala", "Tamil", "Telugu"],
  ...["Thai", "Tibetan"],
] as const;

/** Latin as languages spell names with it; not the phonetic letters, which only resemble others. */
const latin =
  "a-z\\u00df-\\u00f6\\u00f8-\\u0130\\u0132-\\u0137\\u0139-\\u0148\\u014a-\\u017e\\u01a1\\u01b0\\u0219\\u021b\\u1ea0-\\u1ef9";
const own = (...names: readonly string[]): string => names.map((name) => `\\p{scx=${name}}`).join("");
const only = (letters: string): RegExp => new RegExp(`^[0-9-${letters}]+$`, "u");

/** How a label may be written: in one script, or in those that Chinese, Japanese and Korean names mix with Latin. */
const spellings: readonly RegExp[] = [
  only(latin),
  only(latin + own("Han", "Hiragana", "Katakana")),
  only(latin + own("Han", "Bopomofo")),
  only(latin + own("Han", "Hangul")),
  ...scripts.map((script) => only(own(script))),
];

/** Letters of other scripts that nobody can tell from Latin ones. */
const lookAlikes = only("аԁеһіӏјорԛѕԝхуъьҽпгѵѡкмвтнαικνρυωηοτγօոսհցզյ");

/**
 * Whether a host (as URLs normalise it) can be read as another by people: an international label that mixes scripts,
 * or one spelled with nothing but look-alikes of Latin letters below an ordinary top-level domain.
 */
export function looksLikeAnother(host: string): boolean {
  if (!host.includes("xn--")) return false;
  const labels = host.split(".");
  const isInternational = (labels.at(-1) ?? "").startsWith("xn--");
  return labels.some((label) => {
    if (!label.startsWith("xn--")) return false;
    const text = decodePunycode(label.slice("xn--".length));
    if (text === null || !spellings.some((spelling) => spelling.test(text))) return true;
    return !isInternational && lookAlikes.test(text);
  });
}

const base = 36;
const [tMin, tMax, skew, damp] = [1, 26, 38, 700];

/** RFC 3492: the label that punycode stands for; null when it stands for none. */
function decodePunycode(encoded: string): string | null {
  const basicEnd = Math.max(encoded.lastIndexOf("-"), 0);
  const decoded = [...encoded.slice(0, basicEnd)].map((character) => character.codePointAt(0) ?? 0);
  let [n, i, bias] = [128, 0, 72];
  for (let at = basicEnd > 0 ? basicEnd + 1 : 0; at < encoded.length; ) {
    const before = i;
    for (let weight = 1, k = base; ; k += base) {
      const digit = digitOf(encoded.charAt(at));
      if (digit === null) return null;
      at += 1;
      i += digit * weight;
      const threshold = Math.min(Math.max(k - bias, tMin), tMax);
      if (digit < threshold) break;
      weight *= base - threshold;
      if (weight > 0x7fff_ffff) return null;
    }
    const length = decoded.length + 1;
    bias = adapted(i - before, length, before === 0);
    n += Math.floor(i / length);
    if (n > 0x10_ffff) return null;
    i %= length;
    decoded.splice(i, 0, n);
    i += 1;
  }
  return String.fromCodePoint(...decoded);
}

function adapted(delta: number, length: number, isFirst: boolean): number {
  let rest = Math.floor(delta / (isFirst ? damp : 2));
  rest += Math.floor(rest / length);
  let k = 0;
  for (; rest > ((base - tMin) * tMax) / 2; k += base) rest = Math.floor(rest / (base - tMin));
  return k + Math.floor(((base - tMin + 1) * rest) / (rest + skew));
}

function digitOf(character: string): number | null {
  if (/^[a-z]$/.test(character)) return character.charCodeAt(0) - 97;
  return /^[0-9]$/.test(character) ? character.charCodeAt(0) - 22 : null;
}

const base = 36;
const [tMin, tMax, skew, damp] = [1, 26, 38, 700];

/**
 * Decodes a punycode label without its `xn--` (RFC 3492); null if it is invalid. Written here as `domain` imports no
 * built-in module; a test compares it with `url.domainToUnicode`.
 */
export function decodePunycode(encoded: string): string | null {
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

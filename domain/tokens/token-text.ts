import type { TokenKind } from "./events.ts";

/** Kinds of token (contract/tokens.md#kinds): those of apps, and the key of a certified channel. */
export type TokenTextKind = TokenKind | "channel";

/** Digits of base62, in the order of their values. */
export const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** Random base62 digits in a token: 190 bits. */
export const secretLength = 32;
const checksumLength = 6;

const shape = /^(tl_(api|link|sdk|web|channel)_[0-9A-Za-z]{32})_([0-9A-Za-z]{6})$/;

/** The text of a token (contract/tokens.md#format): kind, secret, and a checksum that detects typing errors. */
export function tokenText(kind: TokenTextKind, secret: string): string {
  const body = `tl_${kind}_${secret}`;
  return `${body}_${checksum(body)}`;
}

/** Whether a text has the format and checksum of a token, issued or not. */
export function isTokenText(text: string): boolean {
  const [, body, , sum] = shape.exec(text) ?? [];
  return body !== undefined && checksum(body) === sum;
}

/** Whether the text of a token is the key of a certified channel (contract/tokens.md#kinds). */
export function isChannelKey(text: string): boolean {
  return text.startsWith("tl_channel_");
}

/** CRC-32 in base62. */
function checksum(text: string): string {
  let rest = crc32(text);
  let digits = "";
  for (let place = 0; place < checksumLength; place += 1) {
    digits = base62.charAt(rest % 62) + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte;
  for (let bit = 0; bit < 8; bit += 1) rest = rest & 1 ? (rest >>> 1) ^ 0xedb88320 : rest >>> 1;
  return rest;
});

function crc32(ascii: string): number {
  let crc = 0xffffffff;
  for (let index = 0; index < ascii.length; index += 1) {
    crc = (crcTable[(crc ^ ascii.charCodeAt(index)) & 0xff] ?? 0) ^ (crc >>> 8);
  }
  return (crc ^ 0xffffffff) >>> 0;
}

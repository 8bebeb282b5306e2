import { encodeExtended } from "content-disposition";

/** Code points. */
const maxNameLength = 200;

/**
 * `Content-Disposition` that makes a browser save a response under a name (RFC 6266, RFC 8187). In the name, path
 * separators, control characters and a leading dot become `_`.
 */
export function attachment(fileName: string): string {
  const safe = fileName.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}/\\]/gu, "_");
  const name = [...safe].slice(0, maxNameLength).join("").replace(/^\.+/, "_") || "_";
  const plain = name.replaceAll(/[^\x20-\x7e]|["%]/gu, "_");
  const header = `attachment; filename="${plain}"`;
  return plain === name ? header : `${header}; filename*=${encodeExtended(name)}`;
}

/** Characters, counted as code points, of a name that is given back. */
const longestName = 200;

/**
 * `Content-Disposition` that makes a browser save an answer under a name, whatever that name holds (RFC 6266, RFC 8187):
 * path separators and what no terminal or file system should see become `_`.
 */
export function attachment(fileName: string): string {
  const safe = fileName.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}/\\]/gu, "_");
  const name = [...safe].slice(0, longestName).join("").replace(/^\.+/, "_") || "_";
  const plain = name.replaceAll(/[^\x20-\x7e]|["%]/gu, "_");
  const header = `attachment; filename="${plain}"`;
  return plain === name ? header : `${header}; filename*=UTF-8''${extendedValue(name)}`;
}

/** RFC 8187: `encodeURIComponent` leaves four characters alone that it does not allow. */
function extendedValue(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

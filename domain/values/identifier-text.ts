const whiteSpace = /\p{White_Space}/u;

/**
 * An identifier as it is compared: without Unicode white space at both ends, with all of it inside
 * (contract/prediction.md#request, contract/ingest.md#event-fields). One that is empty then names nobody. Takes time
 * linear in the text, which a regular expression of both ends would not.
 */
export function trimmedIdentifier(text: string): string {
  let start = 0;
  let end = text.length;
  // All white space is in the first plane: each is one code unit.
  while (start < end && whiteSpace.test(text.charAt(start))) start += 1;
  while (start < end && whiteSpace.test(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

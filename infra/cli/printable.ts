/** Text that others wrote, without what a terminal would obey. */
export function printable(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, "\uFFFD");
}

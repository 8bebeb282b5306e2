const shape = /^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+)*$/;

/**
 * Whether a text is the name of an IANA time zone, spelled as IANA spells it (contract/administration.md#apps). Offsets
 * are none.
 */
export function isTimeZone(text: string): boolean {
  if (!shape.test(text)) return false;
  try {
    const known = new Intl.DateTimeFormat("en-US", { timeZone: text }).resolvedOptions().timeZone;
    // Intl takes any case; a link's target (Asia/Kolkata -> Asia/Calcutta) says nothing about the link's own case.
    return known === text || known.toLowerCase() !== text.toLowerCase();
  } catch {
    return false;
  }
}

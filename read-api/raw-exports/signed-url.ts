import { createHmac, timingSafeEqual } from "node:crypto";

/** How long a download URL is valid (contract/exports.md#downloading). */
const urlValidForSeconds = 3_600;
/** How far the clocks of processes that sign and check URLs may be apart. */
const clockDifferenceSeconds = 60;

const downloads = "/log-export/api/v3/downloads";

/** Path of signed downloads, as an Express pattern. */
export const downloadPath = `${downloads}/:report_id`;

/** The URL of an export's file, which needs no token and expires (contract/exports.md#downloading). */
export function signedUrl(baseUrl: string, signingKey: string, reportId: number, now: Date): string {
  const expires = Math.floor(now.getTime() / 1_000) + urlValidForSeconds;
  const path = `${downloads}/${reportId}`;
  return `${baseUrl}${path}?expires=${expires}&signature=${signatureOf(signingKey, reportId, expires.toString())}`;
}

export type SignatureCheck = "valid" | "invalid" | "expired";

/**
 * Whether the parts of a URL have a valid signature, and it has not expired at an instant. One that is valid for much longer
 * was signed while the clock was ahead, and has expired too.
 */
export function checkSignature(
  signingKey: string,
  { reportId, expires, signature }: { readonly reportId: string; readonly expires: string; readonly signature: string },
  now: Date,
): SignatureCheck {
  const expected = Buffer.from(signatureOf(signingKey, reportId, expires));
  const actual = Buffer.from(signature);
  if (actual.length !== expected.length || !timingSafeEqual(actual, expected)) return "invalid";
  const secondsLeft = Number(expires) - now.getTime() / 1_000;
  return secondsLeft >= 0 && secondsLeft <= urlValidForSeconds + clockDifferenceSeconds ? "valid" : "expired";
}

/** Lower-case hex, which has one spelling for the same bytes. */
function signatureOf(signingKey: string, reportId: number | string, expires: string): string {
  return createHmac("sha256", signingKey).update(`raw-export\n${reportId}\n${expires}`).digest("hex");
}

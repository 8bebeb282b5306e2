/** Why `fetch` has failed: a code such as `ECONNREFUSED`, else a text; null when it does not say. */
export function connectionFailure({ cause }: Error): string | null {
  if (!(cause instanceof Error)) return null;
  return "code" in cause ? String(cause.code) : cause.message;
}

/** Whether the server's certificate is refused: not trusted, expired, or that of another host. */
export function isCertificateRefused(failure: Error): boolean {
  return /CERT|SIGNATURE/.test(connectionFailure(failure) ?? "");
}

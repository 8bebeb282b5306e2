/** The API responded with another status than 2xx. */
export class ApiRefused extends Error {
  override readonly name = "ApiRefused";
  readonly status: number;
  /** The body of the response. */
  readonly body: string;
  /** `Retry-After`; null when there was none. */
  readonly retryAfterSeconds: number | null;
  constructor(request: string, status: number, body: string, retryAfterSeconds: number | null = null) {
    super(`${request}: ${status} ${body.slice(0, 500)}`);
    this.status = status;
    this.body = body;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** `Retry-After` in seconds; null when there is none. */
export function retryAfterOf({ headers }: Response): number | null {
  const text = headers.get("retry-after") ?? "";
  return /^\d{1,9}$/.test(text) ? Number(text) : null;
}

import type { components } from "./schema.ts";

/** The body of a refusal (RFC 9457). */
export type Problem = components["schemas"]["Problem"];

const maxMessageLength = 500;

/** The API responded with another status than 2xx. */
export class ApiRefused extends Error {
  override readonly name = "ApiRefused";
  readonly status: number;
  /** The body of the response. */
  readonly body: string;
  /** The body parsed; null when it is no problem, as that of a proxy. */
  readonly problem: Problem | null;
  /** `Retry-After`; null when there was none. */
  readonly retryAfterSeconds: number | null;
  constructor(request: string, status: number, body: string, retryAfterSeconds: number | null = null) {
    const problem = problemIn(body);
    super(`${request}: ${status} ${(problem === null ? body : textOf(problem)).slice(0, maxMessageLength)}`);
    this.status = status;
    this.body = body;
    this.problem = problem;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

function problemIn(body: string): Problem | null {
  try {
    const problem: Problem = JSON.parse(body);
    const { code, detail, errors = [] } = problem;
    const isProblem = typeof code === "string" && typeof detail === "string";
    return isProblem && errors.every(({ loc, msg }) => Array.isArray(loc) && typeof msg === "string") ? problem : null;
  } catch {
    return null;
  }
}

/** Such as `VALIDATION_FAILED: body.from must be a date`. */
function textOf({ code, detail, errors = [] }: Problem): string {
  const faults = errors.map(({ loc, msg }) => `${loc.join(".")} ${msg}`);
  return `${code}: ${faults.length === 0 ? detail : faults.join("; ")}`;
}

/** `Retry-After` in seconds; null when there is none. */
export function retryAfterOf({ headers }: Response): number | null {
  const text = headers.get("retry-after") ?? "";
  return /^\d{1,9}$/.test(text) ? Number(text) : null;
}

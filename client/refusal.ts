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
  /** Where the response redirects to, which the client does not follow; null when it does not redirect. */
  readonly location: string | null;
  constructor(request: string, status: number, body: string, headers: Response["headers"] = new Headers()) {
    const problem = problemIn(body);
    const location = status >= 300 && status < 400 ? headers.get("location") : null;
    const text = location === null ? (problem === null ? body : textOf(problem)) : `redirects to ${location}`;
    super(`${request}: ${status} ${text.slice(0, maxMessageLength)}`);
    this.status = status;
    this.body = body;
    this.problem = problem;
    this.retryAfterSeconds = retryAfterOf({ headers });
    this.location = location;
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

const maxRetryAfterSeconds = 999_999_999;

/** `Retry-After` in seconds, also when it is a date; null when there is none. */
export function retryAfterOf({ headers }: Pick<Response, "headers">): number | null {
  const text = headers.get("retry-after") ?? "";
  const seconds = /^\d+$/.test(text) ? Number(text) : Math.ceil((httpDate(text) - Date.now()) / 1_000);
  return Number.isNaN(seconds) ? null : Math.min(Math.max(seconds, 0), maxRetryAfterSeconds);
}

/** Epoch milliseconds of a date such as `Fri, 27 Nov 2026 15:04:10 GMT`; `NaN` for other texts. */
function httpDate(text: string): number {
  return text.endsWith(" GMT") ? Date.parse(text) : Number.NaN;
}

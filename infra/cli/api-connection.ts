import { type ApiClient, ApiRefused, createApiClient } from "../api-client/api-client.ts";
import { type ClientConfig, type Environment, readClientConfig } from "../config/config.ts";
import { type RunFile, readRunFile } from "../data-directory/run-file.ts";
import { printable } from "./printable.ts";

/** The API cannot be called, or refuses; the message says why, and what to do. */
export class ApiCallFailed extends Error {
  override readonly name = "ApiCallFailed";
}

/** What a command's flags say of the instance to call. */
export interface ConnectionFlags {
  /** Default: the instance that runs on `DATA_DIR`. */
  readonly url?: string;
  /** Default: `TOUCHLEDGER_TOKEN`; of an operator `ADMIN_TOKEN`. */
  readonly token?: string;
}

/** How long a server that is away, or answers 503, is tried again by calls that change nothing. */
const patienceMs = 10_000;

export interface ApiConnection {
  readonly url: string;
  /** Tries once: what it changes must not be done twice. */
  readonly changing: ApiClient;
  /** For calls that change nothing. */
  readonly reading: ApiClient;
}

/**
 * A connection with an app's token to the instance that the flags name, or that runs on `DATA_DIR`.
 * @throws {ApiCallFailed} when there is none, or no token
 */
export async function connectToApi(flags: ConnectionFlags, env: Environment): Promise<ApiConnection> {
  const config = readClientConfig(env);
  const baseUrl = flags.url === undefined ? (await runningOn(config)).baseUrl : givenUrl(flags.url);
  return connect(baseUrl, flags.token ?? config.token, "TOUCHLEDGER_TOKEN");
}

/**
 * The same with the operator's token: `--token`, else `ADMIN_TOKEN`, else that of the instance that runs on `DATA_DIR`,
 * which is sent to no other.
 * @throws {ApiCallFailed} when there is none, or no token
 */
export async function connectAsOperator(flags: ConnectionFlags, env: Environment): Promise<ApiConnection> {
  const config = readClientConfig(env);
  const given = flags.token ?? config.adminToken;
  if (flags.url !== undefined) return connect(givenUrl(flags.url), given, "ADMIN_TOKEN");
  const { baseUrl, adminToken } = await runningOn(config);
  return connect(baseUrl, given ?? adminToken, "ADMIN_TOKEN");
}

function connect(baseUrl: string, given: string | null, variable: string): ApiConnection {
  const token = (given ?? "").trim();
  if (token === "") throw new ApiCallFailed(`A token is needed: set ${variable}, or give --token.`);
  // RFC 6750: what may follow "Bearer " in a header.
  if (!/^[A-Za-z0-9\-._~+/]+=*$/.test(token)) throw new ApiCallFailed("That is not the text of a token.");
  const client = { baseUrl, token };
  return { url: baseUrl, changing: createApiClient(client), reading: createApiClient({ ...client, patienceMs }) };
}

/**
 * What `call` answers.
 * @throws {ApiCallFailed} in place of the API's refusals, and when nothing answers in time
 */
export async function called<Answer>({ url }: ApiConnection, call: () => Promise<Answer>): Promise<Answer> {
  try {
    return await call();
  } catch (failure) {
    if (failure instanceof ApiRefused) throw new ApiCallFailed(refusalText(failure, url));
    if (!(failure instanceof Error)) throw failure;
    if (failure.name === "TimeoutError") throw new ApiCallFailed(`${url} does not answer in time.`);
    // What `fetch` throws when there is no connection.
    if (failure.name === "TypeError") throw new ApiCallFailed(`Nothing answers at ${url}. Does it run there?`);
    if (failure.name === "SyntaxError") throw new ApiCallFailed(`What answers at ${url} is no Touchledger.`);
    throw failure;
  }
}

async function runningOn({ dataDirectory }: ClientConfig): Promise<RunFile> {
  const run = await readRunFile(dataDirectory);
  if (run !== null) return run;
  throw new ApiCallFailed(
    `No Touchledger runs on ${dataDirectory}. Start it there, set DATA_DIR, or give the address of another with --url.`,
  );
}

function givenUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url !== null && /^https?:$/.test(url.protocol) && url.search === "" && url.hash === "" && url.username === "") {
    return text.replace(/\/+$/, "");
  }
  throw new ApiCallFailed(`--url must be an http or https address; it is "${text}".`);
}

interface ProblemText {
  readonly detail: string;
  readonly errors: readonly { readonly field: string; readonly fault: string }[];
}

function refusalText({ status, answer, retryAfterSeconds }: ApiRefused, url: string): string {
  const { detail, errors } = problemText(answer);
  const faults = errors.map(({ field, fault }) => `${field} ${fault}`);
  const retry = status === 429 && retryAfterSeconds !== null ? ` ${retryText(retryAfterSeconds)}` : "";
  const refusal = `${url} refused with ${status}${detail === "" ? "." : `: ${detail}`}${retry}`;
  return [refusal, ...faults].map(printable).join("\n  ");
}

/** When a request may be sent again, to the second. */
function retryText(seconds: number): string {
  const at = new Date(Date.now() + seconds * 1_000).toISOString().replace(/\.\d+/, "");
  return `Try again after ${at}, in ${seconds < 120 ? `${seconds} s` : `${Math.ceil(seconds / 60)} minutes`}.`;
}

/** Words of an RFC 9457 answer; none of any other. */
export function problemText(answer: string): ProblemText {
  try {
    const problem: { detail?: unknown; errors?: readonly { loc?: readonly unknown[]; msg?: unknown }[] } =
      JSON.parse(answer);
    const errors = (problem.errors ?? []).map(({ loc = [], msg }) => ({ field: loc.join("."), fault: String(msg) }));
    return { detail: typeof problem.detail === "string" ? problem.detail : "", errors };
  } catch {
    return { detail: "", errors: [] };
  }
}

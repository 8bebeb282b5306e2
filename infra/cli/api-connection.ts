import {
  type ApiClient,
  ApiRefused,
  connectionFailure,
  createClient,
  isCertificateRefused,
  PathParameterInvalid,
} from "../../client/index.ts";
import { parsedUrl } from "../../domain/values/url.ts";
import { type ClientConfig, readClientConfig } from "../config/config.ts";
import type { Environment } from "../config/environment-reader.ts";
import { type RunFile, readRunFile } from "../data-directory/run-file.ts";
import { requestIdHeader } from "../http/response/request-id.ts";
import { printable, printTable } from "./terminal-text.ts";

/** A call of the API failed or was refused; the message has the reason and what to do. */
export class ApiCallFailed extends Error {
  override readonly name = "ApiCallFailed";
}

/** Flags that name the instance to call. */
export interface ConnectionFlags {
  /** Default: the instance that runs on `DATA_DIR`. */
  readonly url?: string;
  /** Default: `TOUCHLEDGER_TOKEN`; for operators `ADMIN_TOKEN`. */
  readonly token?: string;
}

/** How long calls that change nothing are retried while the server is away or responds with 503. */
const retryMs = 10_000;

export interface ApiConnection {
  readonly url: string;
  /** An address that the instance handed out, as this connection reaches it. */
  reachable(address: string): string;
  /** Does not retry: a change must not be made twice. */
  readonly changing: ApiClient;
  /** Retries; for calls that change nothing. */
  readonly reading: ApiClient;
}

/**
 * A connection with an app's token to the instance that the flags name, or that runs on `DATA_DIR`.
 * @param url which of the instance's addresses: `operationsUrl` for paths below `/admin/v1`
 * @throws {ApiCallFailed} when there is none, or no token
 */
export async function connectToApi(
  flags: ConnectionFlags,
  env: Environment,
  url: "apiUrl" | "operationsUrl" = "apiUrl",
): Promise<ApiConnection> {
  const config = readClientConfig(env);
  const token = { text: flags.token ?? config.token, variable: "TOUCHLEDGER_TOKEN" };
  if (flags.url !== undefined) return connect(validUrl(flags.url), token);
  const run = await runningOn(config);
  return connect(run[url], token, run.baseUrl);
}

/**
 * A connection with the operator's token: `--token`, else `ADMIN_TOKEN`, else the token of the instance on `DATA_DIR`,
 * which is sent to that instance only.
 * @throws {ApiCallFailed} when there is none, or no token
 */
export async function connectAsOperator(flags: ConnectionFlags, env: Environment): Promise<ApiConnection> {
  const config = readClientConfig(env);
  const token = { text: flags.token ?? config.adminToken, variable: "ADMIN_TOKEN" };
  if (flags.url !== undefined) return connect(validUrl(flags.url), token);
  const { operationsUrl, adminToken } = await runningOn(config);
  return connect(operationsUrl, { ...token, text: token.text ?? adminToken });
}

function connect(
  url: string,
  { text, variable }: { readonly text: string | null; readonly variable: string },
  publicUrl = url,
): ApiConnection {
  const token = (text ?? "").trim();
  if (token === "") throw new ApiCallFailed(`A token is needed: set ${variable}, or give --token.`);
  // The characters of a bearer token (RFC 6750).
  if (!/^[A-Za-z0-9\-._~+/]+=*$/.test(token))
    throw new ApiCallFailed("The token contains characters that no token has. Copy it again, whole.");
  const client = { baseUrl: url, token, fetch: fetchOfTouchledger };
  return {
    url,
    reachable: (address) => (address.startsWith(`${publicUrl}/`) ? url + address.slice(publicUrl.length) : address),
    changing: createClient({ ...client, retryMs: 0 }),
    reading: createClient({ ...client, retryMs }),
  };
}

/** As `fetch`, but throws for the response of another program, whose shape would not be that of the API. */
async function fetchOfTouchledger(request: Request): Promise<Response> {
  const response = await fetch(request);
  // Errors may be those of a proxy.
  if (!response.ok || response.headers.has(requestIdHeader)) return response;
  throw new SyntaxError("The response has no X-Request-Id");
}

/**
 * The result of `call`.
 * @throws {ApiCallFailed} for refusals of the API, and when there is no response in time
 */
export async function withApiErrors<Result>({ url }: ApiConnection, call: () => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (failure) {
    if (failure instanceof ApiRefused) throw new ApiCallFailed(refusalText(failure, url));
    if (failure instanceof PathParameterInvalid) throw new ApiCallFailed(failure.message);
    if (!(failure instanceof Error)) throw failure;
    if (failure.name === "TimeoutError")
      throw new ApiCallFailed(`${url} does not respond in time. Try again, or look at its /readyz.`);
    const reason = connectionFailure(failure);
    if (isCertificateRefused(failure)) {
      throw new ApiCallFailed(
        `The certificate of ${url} is refused (${reason}). Renew it, or call the host that it names; if your own authority ` +
          "signed it, set NODE_EXTRA_CA_CERTS to the authority's certificate file.",
      );
    }
    // What `fetch` throws when there is no connection.
    if (failure.name === "TypeError" && reason !== null)
      throw new ApiCallFailed(`Nothing responds at ${url} (${reason}). Does it run there?`);
    if (failure.name === "SyntaxError")
      throw new ApiCallFailed(`The server at ${url} is not a Touchledger. Check the address.`);
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

function validUrl(text: string): string {
  const url = parsedUrl(text);
  const isAddress = url !== null && /^https?:$/.test(url.protocol) && url.search === "" && url.hash === "";
  if (isAddress && url.username === "" && url.password === "") return text.replace(/\/+$/, "");
  throw new ApiCallFailed(`--url must be an http or https address; it is "${text}".`);
}

function refusalText({ status, problem, retryAfterSeconds, location }: ApiRefused, url: string): string {
  if (location !== null) return printable(`${url} redirects to ${location}. Give the address that it redirects to.`);
  const { code, detail = "", errors = [] } = problem ?? {};
  const faults = errors.map(({ loc, msg }) => `${loc.join(".")} ${msg}`);
  const hint = code === "NOT_FOUND" ? [operationsHint] : [];
  const retry = status === 429 && retryAfterSeconds !== null ? ` ${retryText(retryAfterSeconds)}` : "";
  const refusal = `${url} refused with ${status}${detail === "" ? "." : `: ${detail}`}${retry}`;
  return [refusal, ...faults, ...hint].map(printable).join("\n  ");
}

/** Advice for a path that the listener at the address does not serve. */
const operationsHint =
  "An instance with an OPERATIONS_PORT serves /admin/v1 on that port alone, and the rest on PORT; one without the role " +
  "api serves neither: check the address.";

/** When the request may be sent again, to the second. */
function retryText(seconds: number): string {
  const at = new Date(Date.now() + seconds * 1_000).toISOString().replace(/\.\d+/, "");
  return `Try again after ${at}, in ${seconds < 120 ? `${seconds} s` : `${Math.ceil(seconds / 60)} minutes`}.`;
}

/**
 * As {@link withApiErrors}; when fields of the request are refused, prints their faults as a table.
 * @throws {ApiCallFailed}
 */
export function withPrintedFaults<Result>(
  connection: ApiConnection,
  request: () => Promise<Result>,
  print: (line: string) => void = console.log,
): Promise<Result> {
  return withApiErrors(connection, async () => {
    try {
      return await request();
    } catch (failure) {
      const errors = failure instanceof ApiRefused ? (failure.problem?.errors ?? []) : [];
      if (!(failure instanceof ApiRefused) || errors.length === 0) throw failure;
      printTable(
        ["field", "fault"],
        errors.map(({ loc, msg }) => [loc.join("."), msg]),
        print,
      );
      throw new ApiCallFailed(`${connection.url} refused with ${failure.status}.`);
    }
  });
}

import type { FromSchema, JSONSchema } from "json-schema-to-ts";
import type { RegisteredApp } from "../../../domain/apps/registered-app.ts";
import type { LogPosition } from "../../../domain/event.ts";
import type { Fault } from "../../../domain/fault.ts";
import { type Operation, permissions } from "../../../domain/tokens/permissions.ts";
import type { Principal } from "../../../domain/tokens/principal.ts";
import type { Language } from "../../../domain/values/language.ts";
import type { TraceContext } from "../../../domain/values/trace-context.ts";
import type { RouteDocs, RouteDocsFor } from "../openapi/route-docs.ts";
import type { FileBody } from "../request/multipart-body.ts";
import type { Problem } from "../response/problem.ts";
import type { StoredResponse } from "./idempotency.ts";
import type { RouteLimit } from "./rate-limiter.ts";

/** A group of read models that a response reads, or a write must become visible in. */
export type ReadModelGroup = "control" | "facts";

/** A response as a value; handlers never see the HTTP response. */
export type Reply =
  | {
      readonly kind: "ok";
      readonly status: number;
      readonly body: unknown;
      /** Of the last event appended: the `X-Log-Position` header (contract/http.md#log-positions). */
      readonly position?: LogPosition;
      /** The response waits, up to 2 s, until this group has passed `position`. */
      readonly visibleIn?: ReadModelGroup;
      /** The response does not wait; until this group has passed `position`, the caller's reads may miss it. */
      readonly laterVisibleIn?: ReadModelGroup;
      readonly headers?: { readonly [name: string]: string };
      /** Ids of the tokens that the call issued or revoked, for the security log. */
      readonly tokens?: { readonly issued: readonly string[] } | { readonly revoked: readonly string[] };
    }
  /** 200 with a body of text or bytes. */
  | {
      readonly kind: "written";
      readonly text: string | Uint8Array;
      readonly mediaType: string;
      readonly headers?: { readonly [name: string]: string };
      /** Entity tag of the body; 304 when the request's `If-None-Match` has it. */
      readonly etag?: string;
    }
  /** 200 or 206 with a body that is computed while it is sent. A failure before its first piece becomes a problem. */
  | {
      readonly kind: "streamed";
      readonly status?: 206;
      readonly pieces: AsyncIterable<string | Uint8Array>;
      readonly mediaType: string;
      readonly headers?: { readonly [name: string]: string };
    }
  | { readonly kind: "problem"; readonly problem: Problem }
  /** The stored response for the request's `Idempotency-Key` (contract/http.md#idempotency). */
  | {
      readonly kind: "stored";
      readonly response: StoredResponse;
      readonly position?: LogPosition;
      readonly visibleIn?: ReadModelGroup;
    };

/** A call that ends in a problem: a check refused it, or something failed. */
export interface RefusedCall {
  readonly problem: Problem;
  /** Null, like `app`, when the call ended before the caller was identified. */
  readonly principal: Principal | null;
  readonly app: RegisteredApp | null;
  readonly requestId: string;
  /** ISO 8601. */
  readonly receivedAt: string;
  /** Milliseconds of processing so far, without the time that the body took to arrive. */
  elapsedMs(): number;
  readonly language: Language;
  readonly trace?: TraceContext | undefined;
}

/** The input of a handler: the caller, the app, and the validated query and body. */
export interface RouteRequest<Body, Query, App extends RegisteredApp | null = RegisteredApp | null> {
  readonly principal: Principal;
  /** The app of the path's `{app_name}`, or the token's own; null on operator-only paths. */
  readonly app: App;
  readonly params: { readonly [name: string]: string };
  readonly query: Query;
  readonly body: Body;
  readonly requestId: string;
  /** Ids of writes are derived from it: the request's id, or the id of its `Idempotency-Key` (contract/http.md#idempotency). */
  readonly commandId: string;
  /** Address of the client; behind trusted proxies the one that they name. Null when unknown. */
  readonly ip: string | null;
  readonly userAgent: string | null;
  /** ISO 8601. */
  readonly receivedAt: string;
  /**
   * ISO 8601. When its `Idempotency-Key` was first claimed; without a key `receivedAt`. Dates that a repeated request must
   * find again are derived from it, as ids are from `commandId`.
   */
  readonly firstReceivedAt: string;
  /**
   * Waits until the route's read models have the caller's last write; false: not in time. Null when there is none that
   * they may lack. Handlers that refuse because something is not found do not need it: after that, the wait and a second
   * call follow by themselves.
   */
  readonly untilOwnWriteSeen: (() => Promise<boolean>) | null;
  /** Milliseconds of processing so far, without the time that the body took to arrive. */
  elapsedMs(): number;
  /** For texts in the response (contract/http.md#languages); those of problems are added when they are written. */
  readonly language: Language;
  /** The trace that the request is part of (contract/http.md#traces); absent: none. */
  readonly trace?: TraceContext | undefined;
}

type Typed<Schema> = Schema extends JSONSchema ? FromSchema<Schema> : undefined;

/** A body that is `multipart/form-data` with one file (contract/uploads.md#sending). */
interface FileSpec {
  /** Maximum bytes of the whole body (413). */
  readonly limit: number;
}

/** A body that is `multipart/form-data` with several files, identified by their names. */
export interface FilesSpec {
  /** Maximum bytes of the whole body (413). */
  readonly limit: number;
  readonly maxFiles: number;
}

export interface RouteSpec<
  BodySchema extends JSONSchema | undefined,
  QuerySchema extends JSONSchema | undefined,
  File extends FileSpec | undefined,
  Files extends FilesSpec | undefined,
  App extends RegisteredApp | null = RegisteredApp | null,
> {
  readonly method: "get" | "post" | "put" | "patch" | "delete";
  /** In the syntax of Express, with parameters such as `:app_name`. */
  readonly path: string;
  /** Its documentation in `GET /openapi.json` (contract/http.md#openapi). */
  readonly docs: RouteDocsFor<File extends undefined ? (Files extends undefined ? BodySchema : Files) : File>;
  /** Row of the permission table (contract/tokens.md#permissions). */
  readonly operation: Operation;
  /** The rate limit that its calls count against (contract/limits.md#rate-limits; default `other`). */
  readonly limit?: RouteLimit;
  /** How many calls a valid body counts as, at most a full bucket (default 1): 429 when the bucket has fewer tokens. */
  countsAs?(body: Typed<BodySchema>): number;
  readonly body?: BodySchema;
  /**
   * Faults of the body that its schema cannot find, with paths that begin at the body: for a body whose schema finds some,
   * so that all are reported at once. It gets bodies in which faulty fields are left out or, if required, replaced
   * (`ruleFaults`). The handler checks valid bodies itself.
   */
  rules?(
    body: Typed<BodySchema>,
    context: {
      readonly app: App;
      readonly receivedAt: string;
      readonly params: { readonly [name: string]: string };
      /** Required fields whose values are not the caller's. */
      readonly replaced: readonly string[];
    },
  ): readonly Fault[] | Promise<readonly Fault[]>;
  /** Instead of `body`: the handler gets the file of a form. */
  readonly file?: File;
  /** Instead of `body`: the handler gets the files of a form, in their order. Not for idempotent routes. */
  readonly files?: Files;
  /** Query parameters; values are coerced by the schema, unknown ones ignored (contract/http.md#unknown-fields). */
  readonly query?: QuerySchema;
  /** Whether `Authorization: SERVICE-API-KEY <token>` is accepted too (contract/tokens.md#authorization; default no: 401). */
  readonly serviceApiKey?: boolean;
  /**
   * Whether only certified channels may call, which send their key as `api_key` too (contract/tokens.md#permissions;
   * default no): 401 for others.
   */
  readonly apiKey?: boolean;
  /**
   * Whether it accepts requests of `navigator.sendBeacon`, which cannot set headers (contract/ingest.md#beacons;
   * default no): the token as the query parameter `token` if the header has none, and JSON of the type `text/plain`.
   */
  readonly beacon?: boolean;
  /** Whether web pages of the app's `allowedOrigins` may call it (contract/http.md#cross-origin-requests; default no). */
  readonly crossOrigin?: boolean;
  /** Headers of every response, including problems. */
  readonly headers?: { readonly [name: string]: string };
  /** Statuses of this route that differ from the rule (contract/http.md#statuses). */
  readonly statuses?: { readonly json?: number; readonly field?: number; readonly unknownToken?: 401 | 404 };
  /** Maximum inflated bytes of a body (default 1 MiB). */
  readonly bodyLimit?: number;
  /** Maximum concurrent bodies over 1 MiB, half of them of one app; further ones get 503 (default: any number). */
  readonly maxLargeBodies?: number;
  /** Whether `Content-Encoding: gzip` is accepted (default no: 415). */
  readonly gzip?: boolean;
  /**
   * Whether the handler validates the body's items one by one, including illegal text (contract/http.md#text; default
   * no), so that it does not reject the whole body (contract/ingest.md#app-events).
   */
  readonly validatesItems?: boolean;
  /** Whether a JSON body in which an object repeats a key is refused (default no: the last one counts). */
  readonly uniqueKeys?: boolean;
  /**
   * Whether an `Idempotency-Key` is honoured (contract/http.md#idempotency; default no). Ids of writes must then be
   * derived from `commandId`.
   */
  readonly idempotent?: boolean;
  /** Time limit for finding the caller, and for finding the app; afterwards 503 (default: none). */
  readonly identifyWithinMs?: number;
  /** The read models that the response reads: `X-Min-Position` waits for them (contract/http.md#log-positions). */
  readonly reads?: ReadModelGroup;
  /** Maximum wait for them (default 2 s). */
  readonly maxWaitMs?: number;
  /** Another group that the response to some queries reads. */
  alsoReads?(query: Typed<QuerySchema>): ReadModelGroup | null;
  /** Responds to a call that ends in a problem (default: the problem as RFC 9457). */
  replyToRefused?(refused: RefusedCall): Promise<Reply>;
  handle(
    request: RouteRequest<
      File extends FileSpec ? FileBody : Files extends FilesSpec ? readonly FileBody[] : Typed<BodySchema>,
      Typed<QuerySchema>,
      App
    >,
  ): Promise<Reply>;
}

/** A route; its schemas are compiled when it is mounted. */
export type Route = Omit<
  RouteSpec<JSONSchema | undefined, JSONSchema | undefined, FileSpec | undefined, FilesSpec | undefined>,
  "docs"
> & { readonly docs: RouteDocs };

/** Declares a route: its schemas type what its handler gets. */
export function route<
  const BodySchema extends JSONSchema | undefined = undefined,
  const QuerySchema extends JSONSchema | undefined = undefined,
  File extends FileSpec | undefined = undefined,
  Files extends FilesSpec | undefined = undefined,
>(spec: RouteSpec<BodySchema, QuerySchema, File, Files>): Route {
  return spec as unknown as Route;
}

/** Declares a route of an app: its handler gets the app, which is that of the path or of the token. */
export function appRoute<
  const BodySchema extends JSONSchema | undefined = undefined,
  const QuerySchema extends JSONSchema | undefined = undefined,
  File extends FileSpec | undefined = undefined,
  Files extends FilesSpec | undefined = undefined,
>(spec: RouteSpec<BodySchema, QuerySchema, File, Files, RegisteredApp>): Route {
  const callers: readonly string[] = permissions[spec.operation];
  if (!spec.path.includes(":app_name") && callers.some((caller) => caller === "operator" || caller === "channel")) {
    throw new Error(`${spec.path} names no app, and callers without an app may call it`);
  }
  return spec as unknown as Route;
}

type ReplyOptions = Omit<Extract<Reply, { kind: "ok" }>, "kind" | "status" | "body" | "position"> & {
  /** Null or absent: nothing was appended. */
  readonly position?: LogPosition | null;
};

/** 200 with a JSON body. */
export function ok(body: unknown, options: ReplyOptions = {}): Reply {
  return reply(200, body, options);
}

/** Another 2xx with a JSON body (`null`: no body). */
export function reply(status: number, body: unknown, { position = null, ...options }: ReplyOptions = {}): Reply {
  return { kind: "ok", status, body, ...options, ...(position === null ? {} : { position }) };
}

/** 200 with a body that is JSON text. */
export function writtenJson(text: string): Reply {
  return { kind: "written", text, mediaType: "application/json; charset=utf-8" };
}

/** A reply with a problem. */
export function refuse(problem: Problem): Reply {
  return { kind: "problem", problem };
}

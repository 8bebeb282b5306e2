import type { FromSchema, JSONSchema } from "json-schema-to-ts";
import type { RegisteredApp } from "../../../domain/apps/registered-app.ts";
import type { LogPosition } from "../../../domain/event.ts";
import { type Operation, permissions } from "../../../domain/tokens/permissions.ts";
import type { Principal } from "../../../domain/tokens/principal.ts";
import type { Language } from "../../../domain/values/language.ts";
import type { FileBody } from "../request/file-body.ts";
import type { Problem } from "../response/problem.ts";
import type { KeptAnswer } from "./idempotency.ts";
import type { RouteLimit } from "./rate-limits.ts";

/** Which group of read models an answer rests on, or a write must become visible in. */
export type ReadModelGroup = "control" | "facts";

/** An answer as a value; handlers never see `res`. */
export type Reply =
  | {
      readonly kind: "ok";
      readonly status: number;
      readonly body: unknown;
      /** Of the last event appended: answered as `X-Log-Position` (contract/http.md#log-positions). */
      readonly position?: LogPosition;
      /** The answer waits (up to 2 s) until this group has passed `position`. */
      readonly visibleIn?: ReadModelGroup;
      readonly headers?: { readonly [name: string]: string };
    }
  /** 200 with a body that is text, or the bytes of a picture, already. */
  | {
      readonly kind: "written";
      readonly text: string | Uint8Array;
      readonly mediaType: string;
      readonly headers?: { readonly [name: string]: string };
      /** What the body is known by: a caller whose `If-None-Match` names it is answered 304 without the body. */
      readonly etag?: string;
    }
  /** 200, or 206, with a body that is made while it is sent: what fails before its first piece is answered as ever. */
  | {
      readonly kind: "streamed";
      readonly status?: 206;
      readonly pieces: AsyncIterable<string | Uint8Array>;
      readonly mediaType: string;
      readonly headers?: { readonly [name: string]: string };
    }
  | { readonly kind: "problem"; readonly problem: Problem }
  /** What was answered under the request's `Idempotency-Key` before (contract/http.md#idempotency). */
  | {
      readonly kind: "kept";
      readonly answer: KeptAnswer;
      readonly position?: LogPosition;
      readonly visibleIn?: ReadModelGroup;
    };

/** A call that ends in a problem: a step before the handler refused it, or something failed. */
export interface RefusedCall {
  readonly problem: Problem;
  /** Null when the call ended before its caller was known; so is `app`. */
  readonly principal: Principal | null;
  readonly app: RegisteredApp | null;
  readonly requestId: string;
  /** ISO 8601, when the request came in. */
  readonly receivedAt: string;
  /** Milliseconds since the request came in, less those that its body took to arrive: what has been spent here. */
  elapsedMs(): number;
  readonly language: Language;
}

/** What a handler gets: who asks, for which app, and input that has passed its schemas or is the file asked for. */
export interface RouteRequest<Body, Query, App extends RegisteredApp | null = RegisteredApp | null> {
  readonly principal: Principal;
  /** The app of the path's `{app_name}`, or the token's own; null on operator-only paths. */
  readonly app: App;
  readonly params: { readonly [name: string]: string };
  readonly query: Query;
  readonly body: Body;
  readonly requestId: string;
  /**
   * What the ids of everything that the request writes are derived from: the request's id, or one that its
   * `Idempotency-Key` stands for (contract/http.md#idempotency).
   */
  readonly commandId: string;
  /** Address of the caller, behind trusted proxies the one they name; null when unknown. */
  readonly ip: string | null;
  readonly userAgent: string | null;
  /** ISO 8601, when the request came in. */
  readonly receivedAt: string;
  /** Milliseconds since the request came in, less those that its body took to arrive: what has been spent here. */
  elapsedMs(): number;
  /**
   * The language of the texts of the response (contract/http.md#languages). Problems get theirs where they are written.
   */
  readonly language: Language;
}

type Typed<Schema> = Schema extends JSONSchema ? FromSchema<Schema> : undefined;

/** A body that is `multipart/form-data` with one file (contract/uploads.md#sending). */
interface FileSpec {
  /** Bytes of the whole body, at most (413). */
  readonly limit: number;
}

/** A body that is `multipart/form-data` with several files, found by their names. */
export interface FilesSpec {
  /** Bytes of the whole body, at most (413). */
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
  /** As Express spells it, parameters as `:app_name`. */
  readonly path: string;
  /** Row of the permission table (contract/tokens.md#permissions), or who may call. */
  readonly operation: Operation;
  /** The rate limit that its calls count against (contract/limits.md#rate-limits; default `other`). */
  readonly limit?: RouteLimit;
  /**
   * As how many calls one counts whose body is valid (default 1): 429 before anything is done when its bucket does not
   * hold them all. More than a full bucket holds count as a full bucket.
   */
  countsAs?(body: Typed<BodySchema>): number;
  readonly body?: BodySchema;
  /** In place of `body`: the handler gets the file of a form. */
  readonly file?: File;
  /** In place of `body`: the handler gets the files of a form, in their order. Not for idempotent routes. */
  readonly files?: Files;
  /** Query parameters; values are coerced by the schema, unknown ones ignored (contract/http.md#unknown-fields). */
  readonly query?: QuerySchema;
  /**
   * Whether `Authorization: SERVICE-API-KEY <token>` means the same as `Bearer` (contract/tokens.md#authorization;
   * default no: 401).
   */
  readonly serviceApiKey?: boolean;
  /**
   * Whether only certified channels may call, which send their key as `api_key` too (contract/tokens.md#permissions):
   * any other caller gets 401 (default no).
   */
  readonly apiKey?: boolean;
  /** Headers of every answer of this route, also of problems. */
  readonly headers?: { readonly [name: string]: string };
  /** Statuses that differ for this endpoint from the rule (contract/http.md#statuses). */
  readonly statuses?: { readonly json?: number; readonly field?: number; readonly unknownToken?: 401 | 404 };
  /** Inflated bytes of a body, at most (default 1 MiB). */
  readonly bodyLimit?: number;
  /**
   * Objects, arrays and members of them in a JSON body, at most (413; default: any number). What is nothing but those
   * would hold up everybody else while it is parsed, ten million bytes of it for a second and more.
   */
  readonly maxMembers?: number;
  /**
   * Maximum concurrent bodies over 1 MiB or without a `Content-Length`; further ones get 503 with `Retry-After`, unread
   * (default: any number).
   */
  readonly maxLargeBodies?: number;
  /** Whether `Content-Encoding: gzip` is taken (default no: 415). */
  readonly gzip?: boolean;
  /**
   * Whether the handler judges the body's items one by one, refused text included (contract/http.md#text; default no):
   * text that nobody may send does not refuse the whole body then (contract/ingest.md#app-events: one bad event never
   * rejects its neighbours).
   */
  readonly validatesItems?: boolean;
  /** Whether a JSON body in which an object names a key twice is refused (default no: the last one counts). */
  readonly uniqueKeys?: boolean;
  /**
   * Whether an `Idempotency-Key` is honoured (contract/http.md#idempotency; default no). Writes must derive their ids
   * from `commandId`.
   */
  readonly idempotent?: boolean;
  /**
   * Milliseconds that finding the caller may take, and their app; then it is as if neither could be known (default: no
   * limit).
   */
  readonly identifyWithinMs?: number;
  /** The read models that the answer rests on: what `X-Min-Position` waits for (contract/http.md#log-positions). */
  readonly reads?: ReadModelGroup;
  /** Answers a call that ends in a problem (default: the problem as RFC 9457). */
  answerRefused?(refused: RefusedCall): Promise<Reply>;
  handle(
    request: RouteRequest<
      File extends FileSpec ? FileBody : Files extends FilesSpec ? readonly FileBody[] : Typed<BodySchema>,
      Typed<QuerySchema>,
      App
    >,
  ): Promise<Reply>;
}

/** A route whose schemas are compiled once at start. */
export type Route = RouteSpec<
  JSONSchema | undefined,
  JSONSchema | undefined,
  FileSpec | undefined,
  FilesSpec | undefined
>;

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
  /** Null, like none: nothing was appended. */
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

/** 200 with JSON that its own serialiser has written. */
export function writtenJson(text: string): Reply {
  return { kind: "written", text, mediaType: "application/json; charset=utf-8" };
}

/** An error answer. */
export function refuse(problem: Problem): Reply {
  return { kind: "problem", problem };
}

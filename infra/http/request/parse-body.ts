import type { Request } from "express";
import { fault, faultsAt } from "../../../domain/fault.ts";
import { type Problem, problems, validationFailed } from "../response/problem.ts";
import { type BodyContent, writtenContent } from "../routing/idempotency.ts";
import type { FilesSpec, Route } from "../routing/route.ts";
import type { BodyGate } from "./body-gate.ts";
import { hasMoreMembers, maxMembers, membersOf } from "./json-complexity.ts";
import { parseJson } from "./json-text.ts";
import { parseFileBody, parseFilesBody } from "./multipart-body.ts";
import { readBody } from "./read-body.ts";

const defaultBodyLimit = 1024 * 1024;
const repeatedKey = fault("repeated_field", ["body"]);

/** `content` is what an `Idempotency-Key` identifies the body by. */
export type RequestBody =
  | { readonly outcome: "read"; readonly body: unknown; readonly content: BodyContent }
  | { readonly outcome: "refused"; readonly problem: Problem; readonly content: BodyContent }
  /** Too large, or not admitted. */
  | { readonly outcome: "unread"; readonly problem: Problem };

type ReadRequestBody = (request: Request, gate: BodyGate) => Promise<RequestBody>;

/** Reads the body that a route declares, if any: 413, 415, and 400 for invalid JSON or forms. */
export function bodyReader(route: Route): ReadRequestBody {
  if (route.file !== undefined) return fileReader(route.file.limit);
  if (route.files !== undefined) return filesReader(route.files);
  if (route.body !== undefined) return jsonReader(route);
  return async (request) => ({
    outcome: "read",
    body: undefined,
    content: writtenContent(request, new Uint8Array()),
  });
}

function jsonReader(route: Route): ReadRequestBody {
  const jsonProblem = { ...problems.invalidJson, status: route.statuses?.json ?? 400 };
  const { field: fieldStatus = 400 } = route.statuses ?? {};
  const limits = {
    limit: route.bodyLimit ?? defaultBodyLimit,
    gzip: route.gzip ?? false,
    mediaType: route.beacon === true ? "json or text" : "json",
  } as const;
  return async (request, { hold, admit }) => {
    const read = await readBody(request, { ...limits, hold });
    if (read.outcome === "refused") return refused(request, read.problem, read.bytes);
    const { bytes } = read;
    const notAdmitted = hasMoreMembers(bytes, maxMembers) ? problems.tooManyMembers : admit(bytes.length);
    if (notAdmitted !== null) return { outcome: "unread", problem: notAdmitted };
    const content = writtenContent(request, bytes);
    if (bytes.length === 0 && route.method === "get") return { outcome: "read", body: {}, content };
    const parsed = parseJson(bytes, { anyText: route.validatesItems ?? false });
    if (parsed.outcome === "invalid") return { outcome: "refused", problem: jsonProblem, content };
    if (parsed.outcome === "parsed") {
      const isRepeating = route.uniqueKeys === true && hasMoreMembers(bytes, membersOf(parsed.value));
      if (!isRepeating) return { outcome: "read", body: parsed.value, content };
      return { outcome: "refused", problem: validationFailed([repeatedKey], fieldStatus), content };
    }
    const errors = faultsAt(["body"], [parsed.fault]);
    return { outcome: "refused", problem: validationFailed(errors, fieldStatus), content };
  };
}

function fileReader(limit: number): ReadRequestBody {
  return async (request, { hold, admit }) => {
    const read = await readBody(request, { limit, gzip: false, hold });
    if (read.outcome === "refused") return refused(request, read.problem, read.bytes);
    const notAdmitted = admit(read.bytes.length);
    if (notAdmitted !== null) return { outcome: "unread", problem: notAdmitted };
    const parsed = await parseFileBody(request.headers["content-type"], read.bytes);
    if (parsed.outcome === "refused") return refused(request, parsed.problem, read.bytes);
    const { file } = parsed;
    // The boundary differs each time that a client sends the same file.
    return { outcome: "read", body: file, content: { form: [{ fileName: file.fileName }], bytes: file.bytes } };
  };
}

function filesReader({ limit, maxFiles }: FilesSpec): ReadRequestBody {
  return async (request, { hold, admit }) => {
    const read = await readBody(request, { limit, gzip: false, hold });
    if (read.outcome === "refused") return refused(request, read.problem, read.bytes);
    const notAdmitted = admit(read.bytes.length);
    if (notAdmitted !== null) return { outcome: "unread", problem: notAdmitted };
    const content = writtenContent(request, read.bytes);
    const parsed = await parseFilesBody(request.headers["content-type"], read.bytes, maxFiles);
    if (parsed.outcome === "refused") return { outcome: "refused", problem: parsed.problem, content };
    return { outcome: "read", body: parsed.files, content };
  };
}

function refused(request: Request, problem: Problem, bytes: Buffer | null): RequestBody {
  if (bytes === null) return { outcome: "unread", problem };
  return { outcome: "refused", problem, content: writtenContent(request, bytes) };
}

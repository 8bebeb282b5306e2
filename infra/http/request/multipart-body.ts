import { type Fault, fault, type Path } from "../../../domain/fault.ts";
import { isLongerThan, isWellFormedText } from "../../../domain/values/text.ts";
import { type Problem, problems, validationFailed } from "../response/problem.ts";
import { type FilePart, multipartBoundary, type Parts, parseMultipart } from "./multipart-parser.ts";

/** A file in a body. */
export interface FileBody {
  /** Without directories; null when the part names none. */
  readonly fileName: string | null;
  /** As sent; gzip is detected from the bytes, whatever the part's headers are (contract/uploads.md#sending). */
  readonly bytes: Buffer;
}

type Refused = { readonly outcome: "refused"; readonly problem: Problem };
export type ParsedFileBody = { readonly outcome: "parsed"; readonly file: FileBody } | Refused;
export type ParsedFilesBody = { readonly outcome: "parsed"; readonly files: readonly FileBody[] } | Refused;

/** Other fields of a form, which are ignored. */
const maxFields = 16;
const fieldBytes = 4 * 1024;
/** Characters, counted as code points. */
const maxFileNameLength = 256;

/**
 * The file of a `multipart/form-data` body with exactly one file part, under any name (contract/uploads.md#sending). Up to
 * 16 other parts, of 4 KiB each, are ignored. Text is checked (contract/http.md#text).
 */
export async function parseFileBody(contentType: string | undefined, body: Buffer): Promise<ParsedFileBody> {
  const boundary = multipartBoundary(contentType);
  if (boundary === null) return refused(problems.notMultipart);
  const parts = await parseParts(body, boundary, 1);
  if (parts.outcome === "refused") return parts;
  const faults = [...oneFileFaults(parts), ...fieldFaults(parts)];
  const [file] = parts.files;
  if (file === undefined || faults.length > 0) return refused(validationFailed(faults));
  return { outcome: "parsed", file: withoutEmptyName(file) };
}

/**
 * The files of a `multipart/form-data` body with at most `maxFiles` file parts, in their order; names may repeat. Other
 * parts and text as in {@link parseFileBody}.
 */
export async function parseFilesBody(
  contentType: string | undefined,
  body: Buffer,
  maxFiles: number,
): Promise<ParsedFilesBody> {
  const boundary = multipartBoundary(contentType);
  if (boundary === null) return refused(problems.notMultipartFiles);
  const parts = await parseParts(body, boundary, maxFiles);
  if (parts.outcome === "refused") return parts;
  const { files } = parts;
  const tooMany = fault("too_long.files", ["body"], { limit: maxFiles });
  const faults = [
    ...(files.length > maxFiles ? [tooMany] : files.flatMap((file) => nameFaults(file, ["body"]))),
    ...fieldFaults(parts),
  ];
  if (faults.length > 0) return refused(validationFailed(faults));
  return { outcome: "parsed", files: files.map(withoutEmptyName) };
}

async function parseParts(
  body: Buffer,
  boundary: string,
  maxFiles: number,
): Promise<(Parts & { readonly outcome: "parsed" }) | Refused> {
  const limits = { parts: maxFields + maxFiles, fieldBytes };
  const parts = await parseMultipart(body, boundary, limits);
  if (parts === "malformed") return refused(problems.invalidMultipart);
  if (parts !== "too_many_parts") return { outcome: "parsed", ...parts };
  return refused(validationFailed([fault("too_long.parts", ["body"], { limit: limits.parts })]));
}

function oneFileFaults({ files }: Parts): readonly Fault[] {
  const [file, another] = files;
  if (file === undefined) return [fault("missing.file", ["body", "file"])];
  if (another !== undefined) return [fault("too_long.one_file", ["body", "file"])];
  return nameFaults(file, ["body", "file"]);
}

function nameFaults(file: FilePart, at: Path): readonly Fault[] {
  const path = [...at, "filename"];
  const name = file.fileName ?? "";
  return [
    ...(isText(file.field ?? "") ? [] : [illegalText([...at, "name"])]),
    ...(isText(name) ? [] : [illegalText(path)]),
    ...(isLongerThan(name, maxFileNameLength)
      ? [fault("too_long.characters", path, { limit: maxFileNameLength })]
      : []),
  ];
}

function fieldFaults({ fields }: Parts): readonly Fault[] {
  return fields.flatMap(({ field, value, truncated }) => {
    if (!isText(field ?? "")) return [illegalText(["body"])];
    const path = field === null ? ["body"] : ["body", field];
    if (truncated) return [fault("too_long.bytes", path, { limit: fieldBytes })];
    return isText(value) ? [] : [illegalText(path)];
  });
}

/** Browsers send an empty name when no file was chosen. */
function withoutEmptyName({ fileName, bytes }: FilePart): FileBody {
  return { fileName: fileName === "" ? null : fileName, bytes };
}

/** Whether a text was sent as UTF-8, without U+0000: the parser replaces anything else by U+FFFD. */
function isText(text: string): boolean {
  return isWellFormedText(text) && !text.includes("\ufffd");
}

function illegalText(path: Path): Fault {
  return fault("illegal_text.utf8", path);
}

function refused(problem: Problem): Refused {
  return { outcome: "refused", problem };
}

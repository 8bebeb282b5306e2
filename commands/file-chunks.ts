import type { StreamName } from "../domain/streams.ts";
import type { EventLog, ExpectedRevision } from "../infra/event-log/event-log.ts";
import { derivedUuid, sha256 } from "./derived-ids.ts";
import { type Cause, eventMetadata } from "./event-metadata.ts";

/** Bytes of one `FileChunk`, at most: an append takes 1 MiB. */
const chunkBytes = 256 * 1024;

/** A file in the log is not the one that was received. */
export class FileDamaged extends Error {
  override readonly name = "FileDamaged";
}

/** Where a file goes, and who sent it. */
export interface FileDestination {
  readonly stream: StreamName<"uploadFile" | "modelFile">;
  /** What the ids of its events derive from: a command's id, or the file's own hash. */
  readonly idsFrom: string;
  readonly cause: Cause;
}

/**
 * Appends a file's bytes to its own stream: `FileChunk` events of 256 KiB, the last one shorter, with fixed revisions and
 * ids, so that repeating the call resumes where it broke off. An empty file has no chunk. A crash before another event
 * names the file leaves unused chunks only.
 * @throws {FileDamaged} when the stream holds another file
 */
export async function appendFile(log: EventLog, destination: FileDestination, bytes: Uint8Array): Promise<void> {
  const { stream, idsFrom, cause } = destination;
  const metadata = eventMetadata("FileChunk", cause);
  let expected: ExpectedRevision = "no_stream";
  for (let chunk = 0; chunk * chunkBytes < bytes.length; chunk += 1) {
    const data = bytes.subarray(chunk * chunkBytes, (chunk + 1) * chunkBytes);
    const id = derivedUuid(idsFrom, "file", chunk);
    const appended = await log.append(stream, expected, [{ id, type: "FileChunk", data, metadata }]);
    if (appended.outcome !== "appended") throw new FileDamaged(`${stream} holds another file`);
    expected = BigInt(chunk);
  }
}

/**
 * The bytes of a stored file, as they were sent.
 * @param sha256Hex the hash that the file must have
 * @throws {FileDamaged} when the log does not hold that file whole
 */
export async function readFile(
  log: Pick<EventLog, "read">,
  stream: FileDestination["stream"],
  sha256Hex: string,
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const { data } of log.read(stream)) if (data instanceof Uint8Array) chunks.push(data);
  const bytes = Buffer.concat(chunks);
  if (sha256(bytes).toString("hex") !== sha256Hex) throw new FileDamaged(`${stream} does not hold the file received`);
  return bytes;
}

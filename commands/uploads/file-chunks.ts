import { uploadFileStream } from "../../domain/streams.ts";
import type { EventLog, ExpectedRevision } from "../../infra/event-log/event-log.ts";
import { derivedUuid, sha256 } from "../derived-ids.ts";
import { type Cause, eventMetadata } from "../metadata.ts";

/** Bytes of one `FileChunk`, at most (design 6): an append takes 1 MiB. */
const chunkBytes = 256 * 1024;

/** A file in the log is not the one that was received. */
export class FileDamaged extends Error {
  override readonly name = "FileDamaged";
}

/** Whose file it is, what its events' ids derive from, and who sent it. */
export interface FileReceipt {
  readonly requestId: string;
  readonly commandId: string;
  readonly cause: Cause;
}

/**
 * Appends a file's bytes to stream `uploadFile-<requestId>`: `FileChunk` events of 256 KiB, the last one shorter, each at
 * its own revision with an id of its own, so that repeating the command goes on where it broke off. An empty file has
 * no chunk. A crash before `UploadReceived` leaves a stream that no upload knows of: it costs its bytes and nothing
 * else, and the same command, repeated, completes it.
 */
export async function appendFile(log: EventLog, receipt: FileReceipt, bytes: Uint8Array): Promise<void> {
  const { requestId, commandId, cause } = receipt;
  const stream = uploadFileStream(requestId);
  const metadata = eventMetadata(cause);
  let expected: ExpectedRevision = "no_stream";
  for (let chunk = 0; chunk * chunkBytes < bytes.length; chunk += 1) {
    const data = bytes.subarray(chunk * chunkBytes, (chunk + 1) * chunkBytes);
    const id = derivedUuid(commandId, "file", chunk);
    const appended = await log.append(stream, expected, [{ id, type: "FileChunk", data, metadata }]);
    if (appended.outcome !== "appended") throw new FileDamaged(`${stream} holds another file`);
    expected = BigInt(chunk);
  }
}

/**
 * The bytes of a received file, as they were sent.
 * @param sha256Hex the file's hash in `UploadReceived`
 * @throws {FileDamaged} when the log does not hold that file whole
 */
export async function readFile(log: Pick<EventLog, "read">, requestId: string, sha256Hex: string): Promise<Buffer> {
  const stream = uploadFileStream(requestId);
  const chunks: Uint8Array[] = [];
  for await (const { type, data } of log.read(stream)) {
    if (type === "FileChunk" && data instanceof Uint8Array) chunks.push(data);
  }
  const bytes = Buffer.concat(chunks);
  if (sha256(bytes).toString("hex") !== sha256Hex) throw new FileDamaged(`${stream} does not hold the file received`);
  return bytes;
}

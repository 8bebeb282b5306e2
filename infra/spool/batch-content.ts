import { crc32 } from "node:zlib";
import type { EventToAppend, ExpectedRevision } from "../event-log/event-log.ts";

/** The stored value of a batch; its key is its stream and number. */
export interface BatchContent {
  /** When it was spooled, in epoch milliseconds. */
  readonly at: number;
  readonly expected: ExpectedRevision;
  readonly events: readonly EventToAppend[];
}

interface StoredContent {
  readonly at: number;
  readonly expected: string;
  readonly events: readonly EventToAppend[];
}

const checksumBytes = 4;

/** NOTE storage format: JSON and its CRC-32. Throws for events whose data are bytes. */
export function encodeBatch({ at, expected, events }: BatchContent): Buffer {
  for (const { type, data } of events) {
    if (data instanceof Uint8Array) throw new TypeError(`the spool stores JSON events only, not the bytes of ${type}`);
  }
  const content: StoredContent = { at, expected: expected.toString(), events };
  const json = Buffer.from(JSON.stringify(content));
  const checksum = Buffer.alloc(checksumBytes);
  checksum.writeUInt32LE(crc32(json));
  return Buffer.concat([json, checksum]);
}

export function decodeBatch(bytes: Buffer): BatchContent {
  const end = Math.max(0, bytes.length - checksumBytes);
  const json = bytes.subarray(0, end);
  if (end === 0 || bytes.readUInt32LE(end) !== crc32(json)) throw new Error("a batch of the spool is damaged");
  const { at, expected, events } = JSON.parse(json.toString()) as StoredContent;
  return { at, expected: expected === "no_stream" ? expected : BigInt(expected), events };
}

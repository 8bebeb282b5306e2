import type { EventToAppend, ExpectedRevision } from "../event-log/event-log.ts";

/** What the spool keeps of a batch beside its stream and number. */
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

/** NOTE storage format: JSON, whose texts are the bytes that the log stores. Refuses events that are bytes. */
export function encodeBatch({ at, expected, events }: BatchContent): Buffer {
  for (const { type, data } of events) {
    if (data instanceof Uint8Array) throw new TypeError(`the spool takes no bytes, as in ${type}`);
  }
  const content: StoredContent = { at, expected: expected.toString(), events };
  return Buffer.from(JSON.stringify(content));
}

export function decodeBatch(bytes: Buffer): BatchContent {
  const { at, expected, events } = JSON.parse(bytes.toString()) as StoredContent;
  return { at, expected: expected === "no_stream" ? expected : BigInt(expected), events };
}

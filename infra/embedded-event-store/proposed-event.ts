import {
  cursorInto,
  cursorOver,
  fieldBytes,
  fieldLong,
  fieldText,
  MalformedMessage,
  type MessageCursor,
  nextField,
} from "../event-log/protobuf.ts";
import { uuidOfHalves } from "../event-log/uuid-halves.ts";

/** An event as a client proposes it, in a plain append or a batch append. The buffers are slices of the request. */
export interface ProposedEvent {
  /** A UUID in lower case. */
  readonly id: string;
  readonly type: string;
  readonly isJson: boolean;
  readonly data: Buffer;
  readonly metadata: Buffer;
}

/** Every event has a type and a content type in its metadata map. */
export class MissingMetadataProperty extends MalformedMessage {
  override readonly name = "MissingMetadataProperty";
  readonly property: string;
  constructor(property: string) {
    super(`Required Metadata Property '${property}' is missing.`);
    this.property = property;
  }
}

const NOTHING = Buffer.alloc(0);
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Reads `AppendReq.ProposedMessage` or `BatchAppendReq.ProposedMessage`, which are alike; throws {@link MalformedMessage}. */
export function readProposedEvent(message: Buffer): ProposedEvent {
  const cursor = cursorOver(message);
  const properties = { type: "", "content-type": "" };
  let id = "";
  let data: Buffer = NOTHING;
  let metadata: Buffer = NOTHING;
  while (nextField(cursor)) {
    if (cursor.field === 1) id = readUuid(cursorInto(cursor));
    else if (cursor.field === 2) readProperty(cursorInto(cursor), properties);
    else if (cursor.field === 3) metadata = fieldBytes(cursor);
    else if (cursor.field === 4) data = fieldBytes(cursor);
  }
  if (!UUID.test(id)) throw new MalformedMessage(`"${id}" is not a UUID`);
  const { type, "content-type": contentType } = properties;
  if (type === "") throw new MissingMetadataProperty("type");
  if (contentType === "") throw new MissingMetadataProperty("content-type");
  return { id, type, isJson: contentType === "application/json", data, metadata };
}

/** What a real server counts towards the maximum append size. */
export function appendSize(event: ProposedEvent): number {
  return event.data.length + event.metadata.length + event.type.length * 2;
}

/** One entry of a map of texts. */
function readProperty(cursor: MessageCursor, properties: { type: string; "content-type": string }): void {
  let key = "";
  let value = "";
  while (nextField(cursor)) {
    if (cursor.field === 1) key = fieldText(cursor);
    else if (cursor.field === 2) value = fieldText(cursor);
  }
  if (key === "type" || key === "content-type") properties[key] = value;
}

/** As text, or (the .NET and Java clients) as two integers of 64 bits. */
function readUuid(cursor: MessageCursor): string {
  while (nextField(cursor)) {
    if (cursor.field === 2) return fieldText(cursor).toLowerCase();
    if (cursor.field === 1) return readHalves(cursorInto(cursor));
  }
  return "";
}

function readHalves(cursor: MessageCursor): string {
  const halves: [bigint, bigint] = [0n, 0n];
  while (nextField(cursor)) halves[cursor.field - 1] = fieldLong(cursor);
  return uuidOfHalves(...halves);
}

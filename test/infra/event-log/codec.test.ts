import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isUndecodable } from "../../../domain/event.ts";
import { eventCatalogue } from "../../../domain/event-catalogue.ts";
import { storedType, type Upcaster } from "../../../domain/upcasters.ts";
import { decodeContent, encodeContent, metadataOfCopy, type StoredContent } from "../../../infra/event-log/codec.ts";
import { metadata } from "./event-log-client.ts";

const codec = suite("codec");

const stored = (data: string, storedMetadata = JSON.stringify(metadata)): StoredContent => ({
  id: "9b2e3c04-6f0c-4b8e-9a53-4f3a8f1c2d10",
  type: "ThingHappened",
  stream: "thing-1",
  revision: 4n,
  position: { commit: 17n, prepare: 17n },
  recordedAt: new Date("2026-11-21T05:00:01Z"),
  isJson: true,
  data: Buffer.from(data),
  metadata: Buffer.from(storedMetadata),
});

codec("writes JSON, and reads it back in its place", () => {
  const event = { id: stored("").id, type: "ThingHappened", data: { a: ["ß", null] }, metadata };
  const { isJson, data, metadata: bytes } = encodeContent(event);
  assert.is(isJson, true);
  const { isJson: _, ...place } = stored("");
  assert.equal(decodeContent({ ...stored(""), data: Buffer.from(data), metadata: bytes }), { ...place, ...event });
});

codec("keeps bytes as they are", () => {
  const bytes = Uint8Array.of(123, 0, 255);
  const encoded = encodeContent({ id: stored("").id, type: "FileChunk", data: bytes, metadata });
  assert.equal([encoded.isJson, encoded.data], [false, bytes]);
  assert.equal(decodeContent({ ...stored(""), isJson: false, data: Buffer.from(bytes) }).data, bytes);
});

codec("refuses data that JSON cannot represent", () => {
  assert.throws(
    () => encodeContent({ id: stored("").id, type: "ThingHappened", data: undefined, metadata }),
    TypeError,
  );
});

codec("marks data and metadata that cannot be read, and keeps the rest of the event", () => {
  const unreadable = [
    stored("{broken"),
    stored(""),
    stored("{}", ""),
    stored("{}", "[1]"),
    stored("{}", '{"schemaVersion":"1"}'),
  ];
  for (const each of unreadable) {
    const event = decodeContent(each);
    assert.ok(isUndecodable(event.data));
    assert.equal(Buffer.from(event.data.bytes), each.data);
    assert.equal([event.id, event.position, event.metadata.schemaVersion], [each.id, each.position, 0]);
  }
});

codec("reads of a copied event when it was first recorded, and adds no more than that to its metadata", () => {
  const first = new Date("2026-03-31T00:00:00.125Z");
  const added = '"recordedAt":"2026-03-31T00:00:00.125Z"';
  const copied = (json: string) => metadataOfCopy({ metadata: Buffer.from(json), recordedAt: first }).toString();
  assert.equal(
    ['{"a":1.0, "é":{}} ', "{}", `{"x":1,${added}}`, '{"recordedAt":7}', "", "[]", "null", "{broken"].map(copied),
    [
      `{"a":1.0, "é":{},${added}} `,
      `{${added}}`,
      `{"x":1,${added}}`,
      `{"recordedAt":7,${added}}`,
      `{${added},"wrapped":""}`,
      `{${added},"wrapped":"W10="}`,
      `{${added},"wrapped":"bnVsbA=="}`,
      `{${added},"wrapped":"e2Jyb2tlbg=="}`,
    ],
  );
  const decoded = decodeContent(stored("{}", copied(JSON.stringify(metadata))));
  assert.equal([decoded.recordedAt, decoded.metadata], [first, metadata]);
  // An event that cannot be decoded does not become a late one.
  const undecodable = [stored("{broken", copied(JSON.stringify(metadata))), stored("{}", copied(""))].map(
    decodeContent,
  );
  assert.equal(
    undecodable.map(({ recordedAt, data }) => [recordedAt, isUndecodable(data)]),
    [
      [first, true],
      [first, true],
    ],
  );
});

codec("upcasts data of an earlier version of their type", () => {
  const entry = eventCatalogue.ExportFailed as { version: number; upcasters: readonly Upcaster[] };
  const current = { ...entry };
  const failed = { reason: "facts_behind", endedAt: "2026-03-31T00:01:00.000Z" };
  Object.assign(
    entry,
    storedType((data) => ({ ...failed, ...(data as object), isUpcast: true })),
  );
  try {
    const decoded = [1, 2].map((schemaVersion) => {
      const event = stored('{"reportId":1}', JSON.stringify({ ...metadata, schemaVersion }));
      return decodeContent({ ...event, type: "ExportFailed" }).data as unknown;
    });
    assert.equal(decoded[0], { ...failed, reportId: 1, isUpcast: true });
    assert.ok(isUndecodable(decoded[1]), "what has been upcast must have the shape, as what is new");
  } finally {
    Object.assign(entry, current);
  }
});

codec("passes events of other applications through", () => {
  for (const type of ["OrderPlaced", "constructor"]) {
    assert.equal(decodeContent({ ...stored("1"), type }).data as unknown, 1);
  }
});

codec.run();

// time limit: 60 s
import { readFileSync } from "node:fs";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isUndecodable } from "../../../domain/event.ts";
import { eventCatalogue } from "../../../domain/event-catalogue.ts";
import { decodeContent, encodeContent } from "../../../infra/event-log/codec.ts";
import { recordedLog } from "../../examples/recorded-log.ts";
import { eventShapes, shapesFile } from "../../golden/event-shapes/event-shapes.ts";

const shapes = suite("the shapes of stored events");

shapes("are those of the types: `npm run event-shapes` writes them anew", () => {
  const text = readFileSync(shapesFile, "utf8");
  assert.ok(text === eventShapes(), "infra/event-log/event-shapes.json is stale");
  const { FileChunk: _bytes, ...types } = eventCatalogue;
  assert.equal(Object.keys(JSON.parse(text)), [...Object.keys(types).sort(), "definitions"]);
});

const revoked = { tokenId: "a", appId: 1 };
const decoded = (data: unknown, schemaVersion = 1) => {
  const [event] = recordedLog([{ type: "TokenRevoked", data: revoked }]);
  if (event === undefined) throw new Error("There is no event");
  const metadata = { ...event.metadata, schemaVersion };
  const stored = encodeContent({ ...event, metadata, data } as never);
  return decodeContent({ ...event, ...stored, data: Buffer.from(stored.data) }).data;
};

shapes("let fields pass that the type does not have, and other shapes of a newer version", () => {
  for (const data of [revoked, { ...revoked, reason: "lost" }]) assert.equal(decoded(data), data);
  assert.equal(decoded({ token: "a" }, 2), { token: "a" });
});

for (const [data, reason] of [
  [{ appId: 1 }, "data must have required property 'tokenId'"],
  [{ ...revoked, appId: "1" }, "data/appId must be number"],
  [null, "data must be object"],
] as const) {
  shapes(`refuse ${JSON.stringify(data)}, naming the field`, () => {
    const undecodable = decoded(data);
    assert.ok(isUndecodable(undecodable));
    assert.is(undecodable.message, `the data of TokenRevoked do not match its shape: ${reason}`);
  });
}

shapes.run();

// time limit: 60 s
import { readFileSync } from "node:fs";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { eventCatalogue, type RecordedEvent } from "../../../domain/event-catalogue.ts";
import { openDatabase } from "../../../infra/postgres/database.ts";
import { testPostgres } from "../../support/stores.ts";
import { hashesFile, hashesOf, recordedEvents } from "./recorded-log.ts";

const test = suite("The recorded log");

test("has events of every type", () => {
  const found = new Set(recordedEvents().map(({ type }) => type));
  const missing = Object.keys(eventCatalogue).filter((type) => !found.has(type as never));
  assert.equal(missing, [], `${missing.join(", ")}: add a call to record.ts that makes it, then npm run record-log`);
});

test("leads to the recorded rows of every read model", async () => {
  await assertRecordedHashes(recordedEvents());
});

test("leads to the same hashes at the positions of another event store", async () => {
  const inBytes = recordedEvents().map((event) => {
    const position = event.position.commit * 1_037n + 4_096n * (event.position.commit / 20n);
    return { ...event, position: { commit: position, prepare: position } };
  });
  await assertRecordedHashes(inBytes);
});

test.run();

async function assertRecordedHashes(events: readonly RecordedEvent[]): Promise<void> {
  const db = openDatabase(await testPostgres(), { max: 2, applicationName: "test" });
  try {
    assert.equal(await hashesOf(db, events), JSON.parse(readFileSync(hashesFile, "utf8")));
  } finally {
    await db.destroy();
  }
}

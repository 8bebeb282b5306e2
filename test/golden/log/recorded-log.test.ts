// time limit: 60 s
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { eventCatalogue, type RecordedEvent } from "../../../domain/event-catalogue.ts";
import { openDatabase } from "../../../infra/postgres/database.ts";
import { testPostgres } from "../../support/stores.ts";
import { recordedEvents, recordedModels, replayedModels, withoutNewVersion } from "./recorded-log.ts";

const test = suite("The recorded log");

test("has events of every type", () => {
  const found = new Set(recordedEvents().map(({ type }) => type));
  const missing = Object.keys(eventCatalogue).filter((type) => !found.has(type as never));
  assert.equal(missing, [], `${missing.join(", ")}: add a call to record.ts that makes it, then npm run record-log`);
});

test("leads to the recorded rows of every read model", async () => {
  await assertRecorded(recordedEvents());
});

test("leads to the same hashes at the positions of another event store", async () => {
  const inBytes = recordedEvents().map((event) => {
    const position = event.position.commit * 1_037n + 4_096n * (event.position.commit / 20n);
    return { ...event, position: { commit: position, prepare: position } };
  });
  await assertRecorded(inBytes);
});

test("names the read models whose tables have changed under their version", () => {
  const models = (apps: number, hash: string, ...more: readonly string[]) => ({
    versions: { apps, links: 1 },
    tables: {
      "apps.apps": { rows: 1, hash },
      "links.links": { rows: 1, hash: "b" },
      ...Object.fromEntries(more.map((table) => [table, { rows: 0, hash: "c" }])),
    },
  });
  assert.equal(withoutNewVersion(models(1, "a"), models(1, "a")), []);
  assert.equal(withoutNewVersion(models(1, "a"), models(2, "b")), []);
  assert.equal(withoutNewVersion(models(1, "a"), models(1, "b")), ["apps"]);
  assert.equal(withoutNewVersion(models(1, "a"), models(2, "b", "links.more")), ["links"]);
  assert.equal(withoutNewVersion(models(1, "a", "links.more"), models(1, "a")), ["links"]);
});

test.run();

async function assertRecorded(events: readonly RecordedEvent[]): Promise<void> {
  const db = openDatabase(await testPostgres(), { max: 2, applicationName: "test" });
  try {
    const [recorded, replayed] = [recordedModels(), await replayedModels(db, events)];
    const unchanged = withoutNewVersion(recorded, replayed);
    assert.equal(unchanged, [], `${unchanged.join(", ")}: raise the version, then record the hashes (CONTRIBUTING.md)`);
    assert.equal(replayed, recorded);
  } finally {
    await db.destroy();
  }
}

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { eventCatalogue, type RecordedEvent } from "../../domain/event-catalogue.ts";
import { projections } from "../../infra/composition/read-models.ts";
import { reportModules } from "../../infra/composition/report-modules.ts";
import { decodeContent } from "../../infra/event-log/codec.ts";
import { openDatabase } from "../../infra/postgres/database.ts";
import { root } from "../support/paths.ts";
import { testPostgres } from "../support/stores.ts";

interface Golden {
  readonly type: string;
  readonly data: unknown;
  readonly metadata: { readonly schemaVersion: number };
}

/** A request stores the query of its kind of report: a file each, but for actuals, which is `ReportRequested.v1.json`. */
const requestedKinds = Object.keys(reportModules).filter((kind) => kind !== "actuals");

/** Chunks of files are stored as the bytes that they are. */
const { FileChunk: _, ...jsonTypes } = eventCatalogue;

const golden = [
  ...Object.entries(jsonTypes).flatMap(([type, { version }]) =>
    Array.from({ length: version }, (_, index) => `${type}.v${index + 1}.json`),
  ),
  ...requestedKinds.map((kind) => `ReportRequested.v1.${kind}.json`),
];

const directory = join(root, "test/golden");

const test = suite("Golden events: what was stored once can be read for ever");

test("there is a file for every type and version, and no other", () => {
  const found = readdirSync(directory).filter((name) => name.endsWith(".json"));
  assert.equal(found.sort(), [...golden].sort());
});

for (const name of golden) {
  test(`${name} decodes to the stored event`, () => {
    const { data, metadata, ...place } = decoded(name, 0);
    const stored = goldenOf(name);
    assert.equal({ type: place.type, data, metadata }, stored);
    assert.match(name, new RegExp(`^${stored.type}\\.v${stored.metadata.schemaVersion}\\.(\\w+\\.)?json$`));
  });
}

test("every projection applies a log of them all", async () => {
  const db = openDatabase(await testPostgres(), { max: 1, applicationName: "test" });
  try {
    const counts: Record<string, number> = {};
    for (const projection of projections) {
      const schema = `golden_${projection.name}`;
      await db.raw(`create schema ${schema}`);
      await db.transaction(async (trx) => {
        await projection.createTables(trx, schema);
        const handled = golden.map(decoded).filter(({ type }) => projection.handles.includes(type));
        await projection.apply(trx, schema, handled);
        for (const table of Object.keys(projection.tables)) {
          const { rows } = await trx.raw<{ rows: { count: bigint }[] }>(`select count(*) from ${schema}.${table}`);
          counts[`${projection.name}.${table}`] = Number(rows[0]?.count);
        }
      });
    }
    assert.equal(counts, {
      "apps.apps": 1,
      "apps.tokens": 1,
      "apps.channels": 1,
      "tracking_links.tracking_links": 1,
      "tracking_links.tracking_links_counts": 2,
      "report_tasks.report_tasks": 1 + requestedKinds.length,
      "report_tasks.report_tasks_counts": 1 + requestedKinds.length,
      "raw_exports.raw_exports": 1,
      "raw_exports.raw_exports_counts": 1,
      "uploads.uploads": 1,
      "uploads.uploads_counts": 2,
      "facts.apps": 1,
      "facts.sources": 1,
      "facts.clients": 2,
      "facts.touchpoints": 2,
      "facts.app_events": 1,
      "facts.app_event_details": 1,
      "facts.touchpoint_details": 2,
      "facts.firsts": 1,
      "facts.targets": 1,
      "facts.target_keys": 3,
      "facts.open_targets": 0,
      "facts.late_touchpoints": 0,
      "facts.decisions": 2,
      "facts.attribution_rules": 1,
      "facts.channel_flags": 2,
      "facts.spend": 2,
      "facts.uploaded_metrics": 2,
      "facts.uploaded_categories": 1,
      "facts.exchange_rates": 3,
      "facts.device_aliases": 0,
      "facts.device_installs": 1,
      "context_calls.context_calls": 2,
      "conversion_values.models": 1,
      "conversion_values.partner_events": 1,
      "audit.audit": 46 + requestedKinds.length,
      "webhooks.webhooks": 0,
      "webhooks.webhook_types": 0,
      "webhooks.open_tasks": requestedKinds.length,
      "webhooks.notifications": 0,
    });
  } finally {
    await db.destroy();
  }
});

function goldenOf(name: string): Golden {
  return JSON.parse(readFileSync(join(directory, name), "utf8"));
}

/** The file as the event store would hand it out: in streams of the kind, at increasing positions. */
function decoded(name: string, index: number): RecordedEvent {
  const { type, data, metadata } = goldenOf(name);
  const position = BigInt(index + 1);
  return decodeContent({
    id: `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`,
    type,
    stream: "golden-1",
    revision: BigInt(index),
    position: { commit: position, prepare: position },
    recordedAt: new Date("2026-03-31T00:00:00.000Z"),
    isJson: true,
    data: Buffer.from(JSON.stringify(data)),
    metadata: Buffer.from(JSON.stringify(metadata)),
  });
}

test.run();

import fc from "fast-check";
import type { Knex } from "knex";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { RecordedEvent } from "../../../domain/recorded-event.ts";
import type { TrackingLinkEvent } from "../../../domain/tracking-links/events.ts";
import { openDatabase } from "../../../infra/postgres/database.ts";
import { trackingLinksProjection } from "../../../projections/tracking-links/projection.ts";
import { trackingLinkById, trackingLinkOf } from "../../../projections/tracking-links/queries.ts";
import { recordedLog } from "../../examples/recorded-log.ts";
import { aLink, noFallbacks } from "../../examples/tracking-links.ts";
import { testPostgres } from "../../stores.ts";

const schema = "links";
const readModel = suite<{ db: Knex }>("the read model of tracking links");

readModel.before(async (context) => {
  context.db = openDatabase(await testPostgres(), { max: 2, applicationName: "test", synchronousCommit: "off" });
  await context.db.raw(`create schema ${schema}`);
  await context.db.transaction((trx) => trackingLinksProjection.createTables(trx, schema));
});
readModel.before.each(({ db }) => db.raw(`truncate ${schema}.tracking_links`));
readModel.after(({ db }) => db.destroy());

const [spring, summer] = [aLink(), aLink({ shortId: "summer-sale", appId: 2, deeplinkUrl: null })];
const routed = (linkId: number, deeplinkUrl: string): TrackingLinkEvent => ({
  type: "RoutingChanged",
  data: { linkId, deeplinkUrl, fallbackPaths: { ...noFallbacks, ios: "https://ios.example/" } },
});
const tagged = (linkId: number, title: string): TrackingLinkEvent => ({
  type: "OgTagChanged",
  data: { linkId, ogTag: { title, description: "text", imageUrl: null } },
});

function apply(db: Knex, batch: readonly RecordedEvent[]): Promise<void> {
  return db.transaction((trx) => trackingLinksProjection.apply(trx, schema, batch));
}

readModel("answers a link of an app by its id", async ({ db }) => {
  await apply(db, recordedLog<TrackingLinkEvent>([spring, summer], 0n));
  const createdAt = new Date("2026-03-31T00:00:00.000Z");
  const { appId, linkId } = spring.data;
  assert.equal(await trackingLinkOf({ db, schema }, appId, linkId), { link: spring.data, revision: 0n, createdAt });
  assert.is(await trackingLinkOf({ db, schema }, summer.data.appId, linkId), null);
  assert.is(await trackingLinkById({ db, schema }, 7), null);
});

readModel("answers a link as it was last changed, with its revision", async ({ db }) => {
  const { linkId } = spring.data;
  const history = [
    spring,
    routed(linkId, "a://1"),
    tagged(linkId, "old"),
    tagged(linkId, "new"),
    routed(linkId, "a://2"),
  ];
  await apply(db, recordedLog(history, 0n));
  const found = await trackingLinkById({ db, schema }, linkId);
  assert.is(found?.revision, 400n);
  assert.equal(found?.link, {
    ...spring.data,
    deeplinkUrl: "a://2",
    fallbackPaths: { ...noFallbacks, ios: "https://ios.example/" },
    ogTag: { title: "new", description: "text", imageUrl: null },
  });
});

readModel("is the same however the events are split into batches and repeated", async ({ db }) => {
  const links = [spring.data.linkId, summer.data.linkId];
  const change = fc.tuple(fc.constantFrom(...links), fc.constantFrom(routed, tagged), fc.webUrl());
  const rows = async (): Promise<readonly unknown[]> => {
    const result: { readonly rows: readonly object[] } = await db.raw(
      `select * from ${schema}.tracking_links order by link_id`,
    );
    return result.rows.map((row) => ({ ...row }));
  };
  await fc.assert(
    fc.asyncProperty(fc.array(change, { maxLength: 8 }), fc.nat(10), fc.nat(10), async (changes, one, two) => {
      const made = changes.map(([linkId, event, text]) => event(linkId, text));
      const log = recordedLog<TrackingLinkEvent>([spring, summer, ...made], 0n);
      const [first, second] = [Math.min(one, two), Math.max(one, two)];
      await db.raw(`truncate ${schema}.tracking_links`);
      await apply(db, log);
      const whole = await rows();
      await db.raw(`truncate ${schema}.tracking_links`);
      for (const batch of [log.slice(0, first), log.slice(first, second), log.slice(first), log])
        await apply(db, batch);
      assert.equal(await rows(), whole);
    }),
    { numRuns: 30 },
  );
});

readModel.run();

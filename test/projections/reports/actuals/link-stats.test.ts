import { suite } from "uvu";
import * as assert from "uvu/assert";
import { linkStats } from "../../../../projections/reports/actuals/link-stats.ts";
import type { ReportLimits } from "../../../../projections/reports/query/report-transaction.ts";
import { aggregateDays, noteChangedDays } from "../aggregate-days.ts";
import type { AppEvent, Source, Touchpoint } from "../facts.ts";
import { openReportFacts, reportScope } from "../report-facts.ts";
import { install, spring } from "./advertising.ts";

const { position: _, ...scope } = { ...reportScope, now: new Date("2026-04-01T00:00:00Z") };
const channelOf: { readonly [linkId: number]: string } = { 7: "partner", 8: "partner", 9: "twitter", 10: "twitter" };
const linkIds = Object.keys(channelOf).map(Number);

const facts = await openReportFacts(async (readModel, range: { from: string; to: string }, limits: ReportLimits) => {
  const statsOf = await linkStats(readModel, scope, range, linkIds, limits);
  if (statsOf === null) return null;
  return linkIds.map((linkId) => {
    const { clicks, installs } = statsOf({ linkId, channel: channelOf[linkId] ?? "" });
    return [linkId, clicks, installs];
  });
});
const stats = suite("the clicks and installs of links");
stats.after(() => facts.close());

const march = { from: "2026-03-01", to: "2026-03-31" };
const ofLink = (linkId: number): Source => ({
  ...spring,
  channel: channelOf[linkId] ?? "partner",
  tracking_link_id: linkId,
});
const click = (linkId: number, more: Partial<Touchpoint> = {}): Touchpoint => ({
  ...{ appId: 1, from: 2, date: "2026-03-01", hour: 10, kind: "click", human: true, source: ofLink(linkId) },
  client: install.client,
  ...more,
});
const installOf = (linkId: number, device: number, more: Partial<AppEvent> = {}): AppEvent => ({
  ...install,
  device,
  label: { source: ofLink(linkId), kind: "click" },
  ...more,
});
const cell = (value: number | null, isMasked = false) => ({ value, isMasked });
const withheld = [cell(null, true), cell(null, true)];

const written = {
  touchpoints: [
    ...[click(7), click(7, { date: "2026-03-31" }), click(7, { kind: "impression" }), click(7, { human: false })],
    ...[click(7, { date: "2026-02-28" }), click(7, { date: "2026-04-01" }), click(7, { appId: 2 }), click(5)],
    click(9),
  ],
  appEvents: [
    ...[installOf(7, 1), installOf(7, 2, { category: "app_open" }), installOf(7, 3, { label: null })],
    ...[installOf(8, 4), installOf(9, 5), installOf(5, 6)],
  ],
};
const counted = [
  [7, cell(2), cell(1)],
  [8, cell(0), cell(1)],
  // Withheld, and without any: the network's month is small, so the two look alike.
  [9, ...withheld],
  [10, ...withheld],
];

stats("are those that a report by link shows, with and without daily aggregates", async () => {
  const schema = await facts.write(written);
  assert.equal(await facts.run(schema, march), counted);
  await noteChangedDays(facts.db, schema);
  await aggregateDays(facts.db, schema, () => true);
  assert.equal(await facts.run(schema, march), counted);
});

stats("of a network without any touchpoint look like withheld ones", async () => {
  const found = await facts.answerOne({}, march);
  assert.equal(found, [
    [7, cell(0), cell(0)],
    [8, cell(0), cell(0)],
    [9, ...withheld],
    [10, ...withheld],
  ]);
});

stats("of a network are lower bounds when some of its months are withheld", async () => {
  const flag = { channel: "twitter", selfAttributing: false, from: 1, to: null };
  const shown = await facts.answerOne({ ...written, channelFlags: [flag] }, march);
  assert.equal(shown.slice(2), [
    [9, cell(1), cell(1)],
    [10, cell(0), cell(0)],
  ]);
});

stats("leave out undecided events, which could yet be withheld", async () => {
  const schema = await facts.write({ appEvents: [installOf(7, 1), installOf(8, 2, { from: 5 })] });
  const installs = async () => (await facts.run(schema, march))?.slice(0, 2).map(([, , of]) => of);
  assert.equal(await installs(), [cell(1), cell(1)]);
  await facts.db.raw(
    `insert into ${schema}.open_targets (app_id, event_id, position)
     select app_id, event_id, from_position from ${schema}.app_events where from_position = 5`,
  );
  assert.equal(await installs(), [cell(1), cell(0)]);
});

stats("are null when they take too long", async () => {
  const schema = await facts.write(written);
  await facts.db.transaction(async (trx) => {
    await trx.raw(`lock table ${schema}.app_events in access exclusive mode`);
    assert.is(await linkStats({ db: facts.db, schema }, scope, march, linkIds, { timeoutMs: 50 }), null);
  });
});

stats.run();

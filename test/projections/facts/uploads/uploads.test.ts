import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { StoredEvent } from "../../../../domain/event-catalogue.ts";
import { uploadedCategories } from "../../../../projections/facts/queries.ts";
import { inForce } from "../../../../projections/in-force.ts";
import { recordedLog } from "../../../examples/recorded-log.ts";
import { metricUpload, spendUpload } from "../../../examples/uploaded-rows.ts";
import { uploadId } from "../../../examples/uploads.ts";
import { createFacts, openTestDatabase } from "../facts-tables.ts";

const db = await openTestDatabase();
const tables = await createFacts(db);

/** Applies events at the positions 100, 200, ... as one batch. */
const apply = (...events: readonly StoredEvent[]) => tables.apply(recordedLog(events));
/** Request, row, first position, end position, replacing upload. */
const spans = async (table: "spend" | "uploaded_metrics"): Promise<readonly unknown[]> =>
  (await tables.rows(table)).map((row) => [
    row.request_id,
    row.row,
    row.from_position,
    row.to_position,
    row.replaced_by,
  ]);
/** All columns of the rows except the hash of their key. */
const storedRows = async (table: "spend" | "uploaded_metrics"): Promise<readonly unknown[]> =>
  (await tables.rows(table)).map(({ overwrite_key: _hash, ...row }) => row);
const [one, two] = [uploadId(1), uploadId(2)];

const uploads = suite("uploaded rows");
uploads.before.each(() => tables.clear());
uploads.after(() => db.destroy());

uploads("are in no report while they are staged", async () => {
  await apply(...spendUpload(1, [{}, {}]).staged, ...metricUpload(2, [{}]).staged);
  assert.equal(await spans("spend"), [
    [one, 2, null, inForce, null],
    [one, 3, null, inForce, null],
  ]);
  assert.equal(await spans("uploaded_metrics"), [[two, 2, null, inForce, null]]);
  assert.equal(await uploadedCategories(tables, 1), []);
});

uploads("stay as they are when a chunk or a row comes again", async () => {
  const upload = spendUpload(1, [{}, { row: 2, cost: "9" }]);
  await apply(...upload.staged, upload.ingested);
  const once = await tables.all();
  await apply(...upload.staged, ...spendUpload(1, [{ cost: "7" }]).staged);
  assert.equal(await tables.all(), once);
  assert.equal(await tables.rows("spend", "cost"), [{ cost: "1.50" }]);
});

uploads("end at the first upload that replaces them, in one batch or in several", async () => {
  const events = [1, 2, 3].flatMap((number) => {
    const { staged, ingested } = spendUpload(number, [{}]);
    return [...staged, ingested];
  });
  const expected = [
    [one, 2, 200n, 400n, two],
    [two, 2, 400n, 600n, uploadId(3)],
    [uploadId(3), 2, 600n, inForce, null],
  ];
  await apply(...events);
  assert.equal(await spans("spend"), expected);
  await tables.clear();
  for (const event of recordedLog(events)) await tables.apply([event]);
  assert.equal(await spans("spend"), expected);
});

const publisher = { subPublisher: "9", subSubPublisher1: "10", subSubPublisher2: "11", subSubPublisher3: "12" };
const publisherColumns = {
  ...{ sub_publisher: "9", sub_sub_publisher_1: "10" },
  ...{ sub_sub_publisher_2: "11", sub_sub_publisher_3: "12" },
};
const staged = { app_id: 1, request_id: one, row: 2, from_position: null, to_position: inForce, replaced_by: null };
const place = { local_date: "2026-03-01", channel: "partner" };
const whereabouts = { country: "KR", os_name: "iOS" };

uploads("have every column of a file of spend", async () => {
  const campaign = 'a "b", \\ {c}';
  const numbers = { impressions: Number.MAX_SAFE_INTEGER, clicks: 0, cost: "123456789012345678901234567890.000001" };
  const groups = { adGroup: "2", adGroupId: "3", adCreative: "4", adCreativeId: "5", term: "7", termId: "8" };
  const campaignParams = { campaign, campaignId: "1", ...groups };
  const more = { adAccount: "13", adAccountId: "14", country: "KR", osName: "iOS" };
  await apply(
    ...spendUpload(1, [{ channelType: "integrated", campaignParams, publisher, ...more, ...numbers }]).staged,
  );
  assert.equal(await storedRows("spend"), [
    {
      ...{ ...staged, ...place, channel_type: "integrated", campaign, campaign_id: "1", ad_group: "2" },
      ...{ ad_group_id: "3", ad_creative: "4", ad_creative_id: "5", content: null, term: "7", term_id: "8" },
      ...{ ...publisherColumns, ad_account: "13", ad_account_id: "14", ...whereabouts, currency: "USD" },
      ...{ ...numbers, impressions: BigInt(Number.MAX_SAFE_INTEGER), clicks: 0n },
    },
  ]);
});

uploads("have every column of a file of metrics, null where a cell is blank", async () => {
  const campaignParams = { campaign: "1", adGroup: "2", adCreative: "3", content: "4", term: "5" };
  const more = { eventSource: "web", country: "KR", osName: "iOS", currency: "EUR" } as const;
  const flags = { isFirstEventPerDeviceId: true, isFirstEventPerUserId: false };
  const rows = [{ eventValue: "-0.10", campaignParams, publisher, ...more, ...flags }, {}];
  await apply(...metricUpload(1, rows).staged);
  const common = { ...staged, ...place, channel_type: "custom", event_category: "visits" };
  const optional = {
    ...{ campaign: "1", ad_group: "2", ad_creative: "3", content: "4", term: "5", ...publisherColumns },
    ...{ event_source: "web", ...whereabouts, currency: "EUR" },
    ...{ is_first_event_per_device_id: true, is_first_event_per_user_id: false },
  };
  const blank = Object.fromEntries(Object.keys(optional).map((column) => [column, null]));
  assert.equal(await storedRows("uploaded_metrics"), [
    { ...common, event_value: "-0.10", ...optional },
    { ...common, row: 3, event_value: "12", ...blank },
  ]);
});

uploads.run();

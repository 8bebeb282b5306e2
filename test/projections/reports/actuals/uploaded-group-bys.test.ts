import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { GroupByKey } from "../../../../domain/reporting/catalogue/group-bys.ts";
import { ask, cellsOf, openFacts, spend, visits } from "./advertising.ts";

const facts = await openFacts();

const deep = {
  ad_creative: "video",
  content: "banner",
  term: "shoes",
  sub_sub_publisher_1: "sports",
  sub_sub_publisher_2: "football",
  sub_sub_publisher_3: "article",
};
const everySpend = {
  ...spend,
  more: { ...deep, ad_group_id: "g-1", ad_creative_id: "v-1", term_id: "t-1" },
  campaign_id: "c-1",
  ad_group: "newcomers",
  sub_publisher: "times",
  country: "DE",
  os_name: "iOS",
};
const everyMetric = {
  ...visits,
  more: deep,
  ad_group: "newcomers",
  sub_publisher: "times",
  country: "DE",
  os_name: "iOS",
  event_source: "web",
  currency: "KRW",
  is_first_event_per_device_id: true,
  is_first_event_per_user_id: false,
};

/** By group-by: of spend, and of an uploaded metric. */
const columns: { readonly [key in GroupByKey]: readonly [string | null, string | null] } = {
  event_date: ["2026-03-01", "2026-03-01"],
  event_year: ["2026", "2026"],
  event_month: ["2026-03", "2026-03"],
  event_week: ["2026-02-23", "2026-02-23"],
  event_day_of_week: ["7", "7"],
  event_hour: [null, null],
  event_type: ["uploaded", "uploaded"],
  event_source: [null, "web"],
  event_category: [null, "Store visits"],
  event_name: [null, "Store visits"],
  channel: ["partner", "partner"],
  channel_type: ["custom", "custom"],
  campaign: ["spring", "spring"],
  campaign_id: ["c-1", null],
  ad_group: ["newcomers", "newcomers"],
  ad_group_id: ["g-1", null],
  ad_creative: ["video", "video"],
  ad_creative_id: ["v-1", null],
  content: ["banner", "banner"],
  term: ["shoes", "shoes"],
  term_id: ["t-1", null],
  sub_publisher: ["times", "times"],
  sub_sub_publisher_1: ["sports", "sports"],
  sub_sub_publisher_2: ["football", "football"],
  sub_sub_publisher_3: ["article", "article"],
  sub_id: [null, null],
  sub_id_1: [null, null],
  sub_id_2: [null, null],
  sub_id_3: [null, null],
  tracking_link_id: [null, null],
  touchpoint_type: [null, null],
  is_reengagement: [null, null],
  country: ["DE", "DE"],
  os_name: ["iOS", "iOS"],
  os_version: [null, null],
  app_version: [null, null],
  language: [null, null],
  device_model: [null, null],
  device_manufacturer: [null, null],
  device_type: [null, null],
  currency: ["KRW", "KRW"],
  is_first_event_per_device_id: [null, "true"],
  is_first_event_per_user_id: [null, "false"],
};

const grouping = suite("the grouping of uploaded data");
grouping.after(() => facts.close());

grouping("is by each column that it has, and by nothing where it has none", async () => {
  const keys = Object.keys(columns);
  const advertised = { uploads: { spend: [everySpend], uploadedMetrics: [everyMetric] } };
  const questions = keys.flatMap((key) =>
    ["cost_channel", "Store visits"].map((metric) => ask({ groupBys: [key], metrics: [metric] })),
  );
  assert.equal(
    (await facts.answer(advertised, ...questions)).map(cellsOf),
    Object.values(columns).flatMap(([ofSpend, ofMetric]) => [[[[ofSpend], ["50"]]], [[[ofMetric], ["3"]]]]),
  );
});

grouping.run();

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { GroupByKey } from "../../../../domain/reporting/catalogue/group-bys.ts";
import { runActuals } from "../../../../projections/reports/actuals/run.ts";
import { shopRegistered } from "../../../examples/app.ts";
import { anInstall } from "../../../examples/app-events.ts";
import { wonBy } from "../../../examples/decisions.ts";
import { exampleUuid, recordedLog } from "../../../examples/recorded-log.ts";
import { aClick, springSale } from "../../../examples/touchpoints.ts";
import { createFacts, openTestDatabase } from "../../facts/facts-tables.ts";
import { cellsOf } from "./advertising.ts";
import { reportTime } from "./reference.ts";

const db = await openTestDatabase();
const facts = await createFacts(db);

/** A click with every parameter that a URL can have, each with another value. */
const click = aClick({
  source: {
    ...springSale,
    isReengagement: "ON-TRUE",
    campaignParams: {
      campaign: "spring",
      campaignId: "c-1",
      adGroup: "newcomers",
      adGroupId: "g-1",
      adCreative: "video",
      adCreativeId: "v-1",
      content: "banner",
      term: "shoes",
      termId: "t-1",
      subId: "s",
      subId1: "s-1",
      subId2: "s-2",
      subId3: "s-3",
    },
    publisher: {
      subPublisher: "times",
      subSubPublisher1: "sports",
      subSubPublisher2: "football",
      subSubPublisher3: "article",
    },
  },
});
const install = anInstall({
  value: "10000",
  currency: "EUR",
  device: {
    os: "iOS",
    osVersion: "18.1",
    appVersion: "3.2.0",
    country: "DE",
    language: "ja",
    model: "Pixel 9",
    manufacturer: "Google",
    type: "tablet",
  },
  person: { deviceId: "phone", externalUserId: "customer-7" },
});
/** The first of the same user, so that only one of the flags of first events is true. */
const ofFebruary = anInstall({
  ...install.data,
  eventId: exampleUuid("install", 2),
  deviceKey: exampleUuid("device", 2),
  at: "2026-02-20T10:00:00.000Z",
  person: { deviceId: "another", externalUserId: "customer-7" },
});

/** By group-by: of the click, and of the install that it won. */
const columns: { readonly [key in GroupByKey]: readonly [string | null, string | null] } = {
  event_date: ["2026-03-01", "2026-03-01"],
  event_year: ["2026", "2026"],
  event_month: ["2026-03", "2026-03"],
  event_week: ["2026-02-23", "2026-02-23"],
  event_day_of_week: ["7", "7"],
  event_hour: ["18", "19"],
  event_type: ["touchpoint", "target"],
  event_source: ["tracking_link", "app"],
  event_category: ["click", "app_install"],
  event_name: ["click", "app_install"],
  channel: ["partner", "partner"],
  channel_type: ["custom", "custom"],
  campaign: ["spring", "spring"],
  campaign_id: ["c-1", "c-1"],
  ad_group: ["newcomers", "newcomers"],
  ad_group_id: ["g-1", "g-1"],
  ad_creative: ["video", "video"],
  ad_creative_id: ["v-1", "v-1"],
  content: ["banner", "banner"],
  term: ["shoes", "shoes"],
  term_id: ["t-1", "t-1"],
  sub_publisher: ["times", "times"],
  sub_sub_publisher_1: ["sports", "sports"],
  sub_sub_publisher_2: ["football", "football"],
  sub_sub_publisher_3: ["article", "article"],
  sub_id: ["s", "s"],
  sub_id_1: ["s-1", "s-1"],
  sub_id_2: ["s-2", "s-2"],
  sub_id_3: ["s-3", "s-3"],
  tracking_link_id: ["7", "7"],
  touchpoint_type: ["click", "click"],
  is_reengagement: ["true", "true"],
  country: [null, "DE"],
  os_name: ["Android", "iOS"],
  os_version: ["15", "18.1"],
  app_version: [null, "3.2.0"],
  language: [null, "ja"],
  device_model: [null, "Pixel 9"],
  device_manufacturer: [null, "Google"],
  device_type: [null, "tablet"],
  currency: [null, "EUR"],
  is_first_event_per_device_id: [null, "true"],
  is_first_event_per_user_id: [null, "false"],
};

const grouping = suite("the grouping of measured data");
grouping.after(() => db.destroy());

grouping("is by each column that it has, and by nothing where it has none", async () => {
  await facts.apply(recordedLog([shopRegistered, ofFebruary, click, install, wonBy(install, click)]));
  const found: { [key: string]: unknown } = {};
  for (const key of Object.keys(columns)) {
    const cells = [];
    for (const metric of ["clicks", "app_installs"]) {
      const range = { from: "2026-03-01", to: "2026-03-31" };
      const query = { ...range, groupBys: [key], metrics: [metric], filters: [], sorts: [] };
      const report = { ...reportTime, appId: 1, currency: "KRW", onlyChannels: null, position: 10_000n, query };
      cells.push(cellsOf(await runActuals(facts, report, { timeoutMs: 60_000 })));
    }
    found[key] = cells;
  }
  assert.equal(
    found,
    Object.fromEntries(
      Object.entries(columns).map(([key, [ofClick, ofInstall]]) => [
        key,
        [[[[ofClick], ["1"]]], [[[ofInstall], ["1"]]]],
      ]),
    ),
  );
});

grouping.run();

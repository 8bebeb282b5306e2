import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { ChannelProfile } from "../../../domain/channels/events.ts";
import { csv, oneRow, validated } from "./csv-files.ts";

const rows = suite("rows of a valid file");

const publisher = {
  sub_publisher: "p",
  sub_sub_publisher_1: "p1",
  sub_sub_publisher_2: "p2",
  sub_sub_publisher_3: "p3",
};
const publisherParams = { subPublisher: "p", subSubPublisher1: "p1", subSubPublisher2: "p2", subSubPublisher3: "p3" };

const fullSpend = {
  campaign_id: "c1",
  ad_group: "shoes",
  ad_group_id: "g1",
  ad_creative: "red",
  ad_creative_id: "r1",
  term: "boots",
  term_id: "t1",
  ad_account_id: "a1",
  ...publisher,
  os_name: "iOS",
  cost: "90071992547409931234.000001",
};

/** Of a file whose channels are not registered. */
const valid = { outcome: "valid", channels: [] } as const;

const spendRow = {
  row: 2,
  date: "2026-03-31",
  channel: "partner",
  channelType: "custom",
  campaignParams: {
    campaign: "spring",
    campaignId: "c1",
    adGroup: "shoes",
    adGroupId: "g1",
    adCreative: "red",
    adCreativeId: "r1",
    term: "boots",
    termId: "t1",
  },
  publisher: publisherParams,
  currency: "USD",
  country: "KR",
  osName: "iOS",
  impressions: 10,
  clicks: 1,
  cost: "90071992547409931234.000001",
  adAccountId: "a1",
};

rows("of ad spend keep every column", async () => {
  assert.equal(await validated("ad_spend", oneRow("ad_spend", { ...fullSpend, currency: "usd", country: "kr" })), {
    ...valid,
    rows: [spendRow],
  });
});

rows("of legacy cost keep every column, the country in upper case", async () => {
  const file = oneRow("legacy_cost", { ...fullSpend, country: "kr", ad_account: "shop" });
  assert.equal(await validated("legacy_cost", file), { ...valid, rows: [{ ...spendRow, adAccount: "shop" }] });
});

rows("of metrics keep every column", async () => {
  const file = oneRow("metric", {
    ...{ campaign: "spring", ad_group: "shoes", ad_creative: "red", content: "top", term: "boots" },
    ...publisher,
    ...{ event_source: "tracking_link", os_name: "tvOS", country: "us", currency: "eur" },
    ...{ is_first_event_per_device_id: "TRUE", is_first_event_per_user_id: "false" },
  });
  const row = {
    row: 2,
    date: "2026-03-31",
    channel: "partner",
    channelType: "custom",
    campaignParams: { campaign: "spring", adGroup: "shoes", adCreative: "red", content: "top", term: "boots" },
    publisher: publisherParams,
    eventCategory: "store visits",
    eventValue: "2.5",
    eventSource: "tracking_link",
    osName: "tvOS",
    country: "US",
    currency: "EUR",
    isFirstEventPerDeviceId: true,
    isFirstEventPerUserId: false,
  };
  assert.equal(await validated("metric", file), { ...valid, rows: [row] });
});

rows("leave out blank cells, each row by itself, whatever the order of columns", async () => {
  const file = csv([
    ["ad_group", "event_value", "channel", "date", "country", "event_category"],
    ["shoes", "1", "partner", "2026-03-31", "KR", "visits"],
    ["", "-2.50", "partner", "2026-03-30", "", "visits"],
    ["hats", "003", "partner", "2026-03-29", "", "visits"],
  ]);
  const common = { channel: "partner", channelType: "custom", eventCategory: "visits", publisher: {} };
  assert.equal(await validated("metric", file), {
    ...valid,
    rows: [
      { ...common, row: 2, date: "2026-03-31", campaignParams: { adGroup: "shoes" }, country: "KR", eventValue: "1" },
      { ...common, row: 3, date: "2026-03-30", campaignParams: {}, eventValue: "-2.50" },
      { ...common, row: 4, date: "2026-03-29", campaignParams: { adGroup: "hats" }, eventValue: "003" },
    ],
  });
});

const naming = suite("a channel in a file");

const profile = (name: string, displayName: string): ChannelProfile => ({
  ...{ name, displayName, type: "integrated" },
  ...{ selfAttributing: false, costIntegrated: false },
});

/** Each channel of a file with the channel and the type that its row has, given registered channels. */
for (const [rule, spelled, expected, channels = [], kind = "ad_spend"] of [
  ["is a registered one by its name", "google.adwords", ["google.adwords", "integrated"]],
  ["is a registered one by its display name", "Google Ads", ["google.adwords", "integrated"]],
  ["is a newly registered one", "Big Ads", ["bigads", "integrated"], [profile("bigads", "Big Ads")]],
  ["is a custom one in another case than a display name", "google ads", ["google ads", "custom"]],
  ["is a custom one in another case than a name", "Google.Adwords", ["Google.Adwords", "custom"]],
  [
    "has the new name of a built-in one",
    "Google",
    ["google.adwords", "integrated"],
    [profile("google.adwords", "Google")],
  ],
  ["loses its former name", "Google Ads", ["Google Ads", "custom"], [profile("google.adwords", "Google")]],
  [
    "is found by name first",
    "bigads",
    ["bigads", "integrated"],
    [profile("bigads", "Big"), profile("other", "bigads")],
  ],
  [
    "is the first by name of one display name",
    "Ads",
    ["aa", "integrated"],
    [profile("cc", "Ads"), profile("aa", "Ads")],
  ],
  ["does not depend on the order", "Ads", ["aa", "integrated"], [profile("aa", "Ads"), profile("cc", "Ads")]],
  [
    "of legacy cost is found by name only",
    "kakao moment",
    ["kakao moment", "custom"],
    [profile("kakao", "kakao moment")],
    "legacy_cost",
  ],
] as const) {
  naming(rule, async () => {
    const validation = await validated(kind, oneRow(kind, { channel: spelled }), { channels });
    assert.is(validation.outcome, "valid");
    const rows = validation.outcome === "valid" ? validation.rows : [];
    assert.equal(
      rows.map(({ channel, channelType }) => [channel, channelType]),
      [expected],
    );
  });
}

const shapes = suite("a valid file");

const right = oneRow("ad_spend", { campaign: "봄" });
for (const [shape, file] of [
  ["begins with a byte order mark", `\ufeff${right}`],
  ["ends its lines with CRLF", right.replaceAll("\n", "\r\n")],
  ["does not end its last line", right.trimEnd()],
  ["has every value between quotation marks", right.trim().replaceAll(/[^,\n]+/g, '"$&"')],
] as const) {
  shapes(shape, async () => {
    assert.equal(await validated("ad_spend", file), await validated("ad_spend", right));
  });
}

rows.run();
naming.run();
shapes.run();

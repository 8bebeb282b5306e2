import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { ChannelProfile } from "../../../domain/channels/events.ts";
import { reasonOf as textsOf } from "../../../infra/http/i18n/messages.ts";
import { csv, oneRow, validated } from "./csv-files.ts";

const rows = suite("rows of a right file");

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
};

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
  cost: "0.5",
  adAccountId: "a1",
};

rows("of ad spend keep every column", async () => {
  assert.equal(await validated("ad_spend", oneRow("ad_spend", { ...fullSpend, currency: "usd", country: "kr" })), {
    outcome: "valid",
    rows: [spendRow],
  });
});

rows("of legacy cost keep every column, the country in upper case", async () => {
  const file = oneRow("legacy_cost", { ...fullSpend, country: "kr", ad_account: "shop" });
  assert.equal(await validated("legacy_cost", file), { outcome: "valid", rows: [{ ...spendRow, adAccount: "shop" }] });
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
  assert.equal(await validated("metric", file), { outcome: "valid", rows: [row] });
});

rows("leave out what is blank, each row for itself, whatever the order of columns", async () => {
  const file = csv([
    ["ad_group", "event_value", "channel", "date", "country", "event_category"],
    ["shoes", "1", "partner", "2026-03-31", "KR", "visits"],
    ["", "-2.50", "partner", "2026-03-30", "", "visits"],
    ["hats", "003", "partner", "2026-03-29", "", "visits"],
  ]);
  const common = { channel: "partner", channelType: "custom", eventCategory: "visits", publisher: {} };
  assert.equal(await validated("metric", file), {
    outcome: "valid",
    rows: [
      { ...common, row: 2, date: "2026-03-31", campaignParams: { adGroup: "shoes" }, country: "KR", eventValue: "1" },
      { ...common, row: 3, date: "2026-03-30", campaignParams: {}, eventValue: "-2.50" },
      { ...common, row: 4, date: "2026-03-29", campaignParams: { adGroup: "hats" }, eventValue: "003" },
    ],
  });
});

rows("keep costs exactly as spelled", async () => {
  const cost = "90071992547409931234.000001";
  const validation = await validated("ad_spend", oneRow("ad_spend", { cost }));
  assert.equal(validation.outcome === "valid" && validation.rows.map((row) => "cost" in row && row.cost), [cost]);
});

const naming = suite("a channel in a file");

const profile = (name: string, displayName: string): ChannelProfile => ({
  ...{ name, displayName, type: "integrated" },
  ...{ selfAttributing: false, costIntegrated: false },
});

async function channelOf(
  channel: string,
  channels: readonly ChannelProfile[] = [],
  kind: "ad_spend" | "legacy_cost" = "ad_spend",
) {
  const validation = await validated(kind, oneRow(kind, { channel }), { channels });
  if (validation.outcome === "invalid") return textsOf(validation.faults, "en");
  return validation.rows.map((row) => [row.channel, row.channelType]);
}

naming("is a registered one by its name, or by the name that the dashboard shows", async () => {
  assert.equal(await channelOf("google.adwords"), [["google.adwords", "integrated"]]);
  assert.equal(await channelOf("Google Ads"), [["google.adwords", "integrated"]]);
  assert.equal(await channelOf("Big Ads", [profile("bigads", "Big Ads")]), [["bigads", "integrated"]]);
});

naming("is a custom one as spelled, also in another case than a registered one", async () => {
  assert.equal(await channelOf("google ads"), [["google ads", "custom"]]);
  assert.equal(await channelOf("Google.Adwords"), [["Google.Adwords", "custom"]]);
});

naming("is what its registration says now, also of a built-in one", async () => {
  const renamed = [profile("google.adwords", "Google")];
  assert.equal(await channelOf("Google", renamed), [["google.adwords", "integrated"]]);
  assert.equal(await channelOf("Google Ads", renamed), [["Google Ads", "custom"]]);
});

naming("by its own name wins over another that is shown under it", async () => {
  assert.equal(await channelOf("bigads", [profile("bigads", "Big"), profile("other", "bigads")]), [
    ["bigads", "integrated"],
  ]);
});

naming("is the first by name of those that are shown under one name, in whatever order they came", async () => {
  const shown = [profile("cc", "Ads"), profile("aa", "Ads"), profile("bb", "Ads")];
  for (const channels of [shown, [...shown].reverse()])
    assert.equal(await channelOf("Ads", channels), [["aa", "integrated"]]);
});

naming("of legacy cost is its name alone", async () => {
  assert.equal(await channelOf("kakao moment", [profile("kakao", "kakao moment")], "legacy_cost"), [
    ["kakao moment", "custom"],
  ]);
});

const shapes = suite("a right file");

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

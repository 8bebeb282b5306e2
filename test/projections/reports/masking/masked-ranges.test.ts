import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { DateRange } from "../../../../domain/reporting/masking.ts";
import { selectMaskedRanges } from "../../../../projections/reports/masking/masked-facts.ts";
import { spring } from "../actuals/advertising.ts";
import { openReportFacts, type SomeFacts } from "../report-facts.ts";
import type { Spend } from "../uploads.ts";
import { click, enough, impression, impressionsOf, ofTwitter, tiktok, times, twitter } from "./networks.ts";

type Requested = Omit<Parameters<typeof selectMaskedRanges>[2], "appId"> & {
  readonly appId: number;
  readonly range: DateRange;
};

const facts = await openReportFacts(({ db, schema }, { range, ...report }: Requested) =>
  db.transaction((trx) => selectMaskedRanges(trx, schema, report, range)),
);
const march = { from: "2026-03-01", to: "2026-03-31" };
const report = { appId: 1, position: 9n, timezone: "UTC", now: new Date("2026-04-10") };

function withheld(
  { spend = [], ...known }: SomeFacts & { readonly spend?: readonly Spend[] },
  requested: Partial<typeof report> = {},
  range = march,
) {
  return facts.answerOne({ ...known, uploads: { spend } }, { ...report, ...requested, range });
}

const small = { channel: "twitter", ...march, reason: "small_month" } as const;
const { impressions, installs } = enough;

const withholding = suite("withheld data of self-attributing networks");
withholding.after(() => facts.close());

withholding("excludes a month with 1,001 impressions and 101 installs", async () => {
  assert.equal(await withheld({ touchpoints: impressions, appEvents: installs }), []);
});

withholding("is a month with 1,000 impressions", async () => {
  assert.equal(await withheld({ touchpoints: impressions.slice(1), appEvents: installs }), [small]);
});

withholding("is a month with 100 installs", async () => {
  assert.equal(await withheld({ touchpoints: impressions, appEvents: installs.slice(1) }), [small]);
});

withholding("counts uploaded impressions in", async () => {
  const touchpoints = impressions.slice(0, 401);
  const lifted = [impressionsOf(500), impressionsOf(100, { campaign: "autumn", date: "2026-03-31" })];
  assert.equal(await withheld({ touchpoints, appEvents: installs, spend: lifted }), []);
  assert.equal(await withheld({ touchpoints: touchpoints.slice(1), appEvents: installs, spend: lifted }), [small]);
  assert.equal(await withheld({ touchpoints: [click], appEvents: installs, spend: [impressionsOf(1_001)] }), []);
  assert.equal(
    await withheld({ touchpoints: [click], appEvents: installs, spend: [impressionsOf(9_007_199_254_740_991)] }),
    [],
  );
});

withholding("counts only human facts of the channel, month and app, in force at the position", async () => {
  const touchpoints = impressions.slice(1);
  const others = [
    { ...impression, human: false },
    { ...impression, from: 10 },
    { ...impression, appId: 2 },
    { ...impression, date: "2026-02-28" },
    { ...impression, date: "2026-04-01" },
    { ...impression, source: tiktok },
    click,
  ];
  const spend = [
    impressionsOf(10, { channel: "tiktok" }),
    impressionsOf(10, { date: "2026-04-01" }),
    impressionsOf(10, { from: 10 }),
    impressionsOf(10, { to: 9 }),
    impressionsOf(10, { appId: 2 }),
  ];
  const isTwitters = ({ channel }: { readonly channel: string }) => channel === "twitter";
  assert.equal(
    (await withheld({ touchpoints: [...touchpoints, ...others], appEvents: installs, spend })).filter(isTwitters),
    [small],
  );
  const appEvents = [
    ...installs.slice(1),
    { ...ofTwitter, category: "app_open" },
    { ...ofTwitter, label: null },
    { ...ofTwitter, label: { source: tiktok, kind: "click" as const } },
    { ...ofTwitter, appId: 2 },
    { ...ofTwitter, date: "2026-04-01" },
    { ...ofTwitter, from: 10 },
    { ...ofTwitter, to: 9 },
  ];
  assert.equal((await withheld({ touchpoints: impressions, appEvents })).filter(isTwitters), [small]);
});

withholding("counts the facts of the report's position itself", async () => {
  const last = { from: 9 };
  const touchpoints = [...impressions.slice(1), { ...impression, ...last }];
  const appEvents = [...installs.slice(1), { ...ofTwitter, ...last }];
  assert.equal(await withheld({ touchpoints, appEvents }), []);
  assert.equal(await withheld({ touchpoints, appEvents: installs }, { position: 8n }), [small]);
  assert.equal(await withheld({ touchpoints: impressions, appEvents }, { position: 8n }), [small]);
  const spend = [impressionsOf(1_000, last)];
  const uploaded = { touchpoints: [impression], appEvents: installs, spend };
  assert.equal(await withheld(uploaded), []);
  assert.equal(await withheld(uploaded, { position: 8n }), [small]);
});

withholding("adds up all links of a channel", async () => {
  const campaigns = ["spring", "summer", null];
  const touchpoints = impressions.map((one, index) => {
    return { ...one, source: { ...twitter, campaign: campaigns[index % 3] ?? null } };
  });
  assert.equal(await withheld({ touchpoints, appEvents: installs }), []);
});

withholding("depends on the whole month, and covers only the requested dates", async () => {
  const ends = [times(500, { ...impression, date: "2026-03-01" }), times(501, { ...impression, date: "2026-03-31" })];
  const touchpoints = ends.flat();
  const middle = { from: "2026-03-14", to: "2026-03-15" };
  assert.equal(await withheld({ touchpoints, appEvents: installs }, {}, middle), []);
  assert.equal(await withheld({ touchpoints: touchpoints.slice(1), appEvents: installs }, {}, middle), [
    { ...small, ...middle },
  ]);
  const over = { from: "2026-02-27", to: "2026-04-02" };
  assert.equal(await withheld({ touchpoints, appEvents: installs }, {}, over), [
    { ...small, from: "2026-02-27", to: "2026-02-28" },
    { ...small, from: "2026-04-01", to: "2026-04-02" },
  ]);
});

withholding("is, of each date more than 175 days ago, everything", async () => {
  const large = { touchpoints: impressions, appEvents: installs };
  const old = { channel: "twitter", reason: "older_than_175_days" } as const;
  assert.equal(await withheld(large, { now: new Date("2026-08-23") }), []);
  assert.equal(await withheld(large, { now: new Date("2026-08-24") }), [
    { ...old, from: "2026-03-01", to: "2026-03-01" },
  ]);
  assert.equal(await withheld(large, { now: new Date("2027-01-01") }), [{ ...old, ...march }]);
  // The month is told by all of its days, also those that are too old.
  assert.equal(await withheld({ ...large, touchpoints: impressions.slice(1) }, { now: new Date("2026-09-12") }), [
    { ...old, from: "2026-03-01", to: "2026-03-20" },
    { ...small, from: "2026-03-21" },
  ]);
  const days = times(1_001, { ...impression, date: "2026-03-02" });
  assert.equal(await withheld({ ...large, touchpoints: days }, { now: new Date("2026-09-12") }), [
    { ...old, from: "2026-03-01", to: "2026-03-20" },
  ]);
});

withholding("concerns channels that are self-attributing at the position, and that the app has", async () => {
  const friends = { ...spring, channel: "friends" };
  const flag = { channel: "friends", selfAttributing: true, from: 3, to: 7 };
  const channelFlags = [
    flag,
    { ...flag, selfAttributing: false, from: 7, to: null },
    { ...flag, channel: "twitter", selfAttributing: false, from: 5, to: null },
    { ...flag, channel: "unknown", from: 1, to: null },
  ];
  const touchpoints = [{ ...click, source: friends }, click, { ...click, source: spring }];
  const channels = [];
  for (const position of [2n, 3n, 4n, 5n, 6n, 7n, 8n]) {
    const found = await withheld({ touchpoints, appEvents: [], channelFlags }, { position });
    channels.push(found.map(({ channel }) => channel).join(" "));
  }
  assert.equal(channels, ["twitter", "friends twitter", "friends twitter", "friends", "friends", "", ""]);
  assert.equal(await withheld({ touchpoints, appEvents: [] }, { appId: 3 }), []);
});

withholding.run();

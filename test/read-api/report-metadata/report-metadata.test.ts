import { suite } from "uvu";
import * as assert from "uvu/assert";
import { rawExportProperties } from "../../../domain/raw-exports/properties.ts";
import { groupBys } from "../../../domain/reporting/catalogue/group-bys.ts";
import { filterTypes } from "../../../domain/reporting/query-validation.ts";
import { shop } from "../../examples/app.ts";
import { noUploads } from "../../projections/reports/uploads.ts";
import { lastWeek, type Reports, startReports } from "../../support/reports/report-application.ts";

interface Group {
  readonly groupName: string;
  readonly parentGroupName: string | null;
  readonly fields: readonly { readonly key: string; readonly name: string; readonly serveToFilter?: boolean }[];
}

let reports: Reports;
const metadata = suite("report metadata");
metadata.before(async () => {
  reports = await startReports();
  const categories = [
    { appId: shop.appId, category: "Store visits", archived: false },
    { appId: shop.appId, category: "Leads", archived: true },
    { appId: shop.appId, category: "__proto__", archived: false },
    { appId: 2, category: "Calls", archived: false },
  ];
  await reports.writeFacts({ touchpoints: [], appEvents: [], uploads: { ...noUploads, categories } });
});
metadata.after(() => reports.close());

const read = (what: "fields" | "metrics", token = "owner", app: string = shop.name) =>
  reports.call("GET", `/dataspec/v2/apps/${app}/actual-report/${what}`, { token });
const groups = async (what: "fields" | "metrics"): Promise<readonly Group[]> => {
  const answer = await read(what);
  assert.is(answer.status, 200, answer.text);
  return (answer.json as { readonly data: readonly Group[] }).data;
};
const keysOf = (listed: readonly Group[]): readonly string[] =>
  listed.flatMap(({ fields }) => fields.map(({ key }) => key));

const chunksOf = (size: number, keys: readonly string[]): readonly (readonly string[])[] =>
  Array.from({ length: Math.ceil(keys.length / size) }, (_, index) => keys.slice(index * size, (index + 1) * size));
metadata("lists group-bys, with examples", async () => {
  const found = await groups("fields");
  assert.equal(
    found.map(({ groupName, parentGroupName, fields }) => [groupName, parentGroupName, fields.length]),
    [
      ["Date", null, 6],
      ["Event", null, 7],
      ["Channel", null, 2],
      ["Campaign", "Channel", 9],
      ["Publisher", "Channel", 4],
      ["Tracking link", "Channel", 7],
      ["Device", null, 8],
    ],
  );
  assert.equal(found[0]?.fields[0], {
    key: "event_date",
    name: "Date",
    example: "2026-03-31",
    description: "Local date",
    serveToFilter: true,
  });
});

metadata("lists metrics, uploaded ones last, without archived ones", async () => {
  const found = await groups("metrics");
  assert.equal(
    found.map(({ groupName, parentGroupName }) => [groupName, parentGroupName]),
    [
      ["Touchpoints", null],
      ["App events", null],
      ["Installs", "App events"],
      ["Deeplinks", "App events"],
      ["Orders and revenue", "App events"],
      ["Self-serve", null],
      ["Custom events", "App events"],
    ],
  );
  assert.equal(found[0]?.fields[3], {
    key: "ctr",
    name: "CTR",
    description: "Clicks per impression: 0.01 is one click in a hundred",
  });
  const selfServe = found.find(({ groupName }) => groupName === "Self-serve");
  assert.equal(
    selfServe?.fields.map(({ key }) => key),
    ["impressions_channel", "clicks_channel", "cost_channel", "cpi", "cpc", "cpm", "roas", "Store visits", "__proto__"],
  );
  assert.equal(selfServe?.fields[7], {
    key: "Store visits",
    name: "Store visits",
    description: "Sum of the values uploaded under this name, amounts of money in the app's currency",
  });
});

metadata("is in the requested language, except keys, examples and uploaded names", async () => {
  const inLanguage = async (what: "fields" | "metrics", language: string) => {
    const path = `/dataspec/v2/apps/${shop.name}/actual-report/${what}`;
    const answer = await reports.call("GET", path, { token: "owner", headers: { "Accept-Language": language } });
    assert.equal([answer.status, answer.headers["content-language"]], [200, language.slice(0, 2)]);
    assert.is(answer.headers.vary, "Origin, Accept-Language");
    return (answer.json as { readonly data: readonly Group[] }).data;
  };
  const [date] = await inLanguage("fields", "ko-KR");
  assert.equal(date?.fields[0], {
    key: "event_date",
    name: "날짜",
    example: "2026-03-31",
    description: "현지 날짜",
    serveToFilter: true,
  });
  const found = await inLanguage("metrics", "ja");
  assert.equal(found.find(({ groupName }) => groupName === "セルフサーブ")?.fields[7], {
    key: "Store visits",
    name: "Store visits",
    description: "この名前でアップロードされた値の合計。金額はアプリの通貨に換算されます",
  });
  for (const what of ["fields", "metrics"] as const) {
    const english = await groups(what);
    for (const language of ["ko", "ja"]) assert.equal(keysOf(await inLanguage(what, language)), keysOf(english));
  }
});

const cohortEvents = [
  ...["app_events", "app_open", "app_opens", "app_sign_up", "app_sign_in", "app_sign_out", "app_product_view"],
  ...["app_add_to_cart", "app_ad_impression", "app_ad_click", "app_foreground", "app_home_screen"],
  ...["app_product_catalog", "app_search_results", "app_install", "app_installs", "app_uninstall"],
  ...["app_deeplink_open", "app_deeplink_opens", "app_deeplink_pageview", "app_deeplink_pageviews"],
  ...["app_order_complete", "app_first_order_complete", "app_order_cancel", "app_subscribe", "custom:<name>"],
];
const everyGroupBy = Object.keys(groupBys);
const listed: { readonly [path: string]: { readonly [list: string]: readonly string[] } } = {
  "active-users-report": {
    fields: everyGroupBy,
    events: ["app_events", "app_order_complete", "app_order_cancel", "app_subscribe"],
    metrics: ["app_au", "app_pu", "app_arpu", "app_arppu", "app_revenue"],
  },
  "retention-report": { fields: everyGroupBy, events: cohortEvents, metrics: ["startUsers", "value", "rate"] },
  "revenue-report": {
    fields: everyGroupBy,
    events: cohortEvents,
    metrics: [
      ...["app_revenue", "app_user_count", "app_event_count", "app_roas", "app_arpu", "app_arppu"],
      ...["totalRevenue", "totalCost", "totalUniqueUsers"],
    ],
  },
  "raw-export": {
    fields: Object.keys(rawExportProperties),
    events: [...cohortEvents.slice(1), "impression", "click"],
    metrics: [],
  },
};
for (const [path, lists] of Object.entries(listed)) {
  metadata(`of ${path} names its fields, events and metrics`, async () => {
    for (const [list, keys] of Object.entries(lists)) {
      const address = `/dataspec/v2/apps/${shop.name}/${path}/${list}`;
      const { json } = await reports.call("GET", address, { token: "owner" });
      assert.equal(keysOf((json as { readonly data: readonly Group[] }).data).toSorted(), keys.toSorted(), list);
    }
  });
}

metadata("lists each key once, and the parent of each group", async () => {
  for (const what of ["fields", "metrics"] as const) {
    const found = await groups(what);
    const keys = keysOf(found);
    assert.equal([...new Set(keys)], keys);
    const names: readonly (string | null)[] = [null, ...found.map(({ groupName }) => groupName)];
    assert.ok(found.every(({ parentGroupName }) => names.includes(parentGroupName)));
  }
});

metadata("lists only keys that reports accept", async () => {
  const query = { from: lastWeek[6], to: lastWeek[6], sorts: [] };
  const found = await groups("fields");
  assert.ok(found.every(({ fields }) => fields.every(({ serveToFilter }) => serveToFilter)));
  for (const groupBys of chunksOf(10, keysOf(found))) {
    const filters = groupBys.flatMap((dimension) =>
      filterTypes.map((filterType) => ({ dimension, filterType, values: ["x"] })),
    );
    await reports.requested({ ...query, groupBys, metrics: ["clicks"], filters });
  }
  for (const metrics of chunksOf(20, keysOf(await groups("metrics")))) {
    await reports.requested({ ...query, groupBys: [], metrics, filters: [] });
  }
});

metadata("of the other reports and of exports has events, granularities and limits", async () => {
  const list = async (path: string, headers = {}) => {
    const answer = await reports.call("GET", `/dataspec/v2/apps/${shop.name}/${path}`, { token: "partner", headers });
    assert.is(answer.status, 200, answer.text);
    return answer.json as {
      readonly data: readonly Group[];
      readonly granularities: readonly object[];
      readonly limits: readonly { readonly key: string; readonly value: number }[];
    };
  };
  const returns = await list("retention-report/events");
  assert.equal(returns.data[0]?.fields[0], {
    key: "app_events",
    name: "App events",
    description: "App events of every category",
    serveToStart: false,
    serveToReturn: true,
  });
  assert.equal(returns.granularities[0], {
    key: "day",
    name: "Day",
    description: "Local dates since the start",
    lastInterval: 184,
  });
  assert.equal(
    returns.limits.map(({ key, value }) => [key, value]),
    [
      ["dates", 92],
      ["groupBys", Object.keys(groupBys).length],
      ["filters", 100],
      ["rows", 10_000],
      ["cells", 5_000_000],
      ["size", 100],
      ["returnEvents", 200],
      ["subRows", 50_000],
    ],
  );
  const revenue = await list("revenue-report/metrics", { "Accept-Language": "ko" });
  assert.equal(revenue.data[0]?.fields[4], {
    key: "app_arpu",
    name: "ARPU",
    description: "코호트의 기기당 누적 매출",
    serveToSort: true,
    aggregationTypes: ["cumulative"],
  });
  assert.equal((await list("active-users-report/metrics")).granularities[1], {
    key: "week",
    name: "Week",
    description: "7-day blocks from the first date",
  });
  const [event] = (await list("raw-export/fields")).data;
  assert.equal(event?.fields[1], {
    key: "event_type",
    name: "Event type",
    example: "in_app",
    description: "target (attributed itself), in_app (any other app event), touchpoint or uploaded",
    serveToFilter: true,
    type: "string",
  });
  const { data, granularities, limits } = await list("raw-export/metrics");
  assert.equal([data, granularities, limits.at(-1)?.value], [[], [], 100]);
});

metadata.run();

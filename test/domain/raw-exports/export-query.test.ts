import { suite } from "uvu";
import * as assert from "uvu/assert";
import { appEventCategories } from "../../../domain/app-events/categories.ts";
import type { RawExportType } from "../../../domain/raw-exports/events.ts";
import { type RawExportRequest, validateRawExport } from "../../../domain/raw-exports/export-query.ts";
import { rawExportProperties } from "../../../domain/raw-exports/properties.ts";
import { inShort } from "../../support/short-faults.ts";

const today = "2026-06-30";
const valid: RawExportRequest = {
  dateRange: { start: "2026-06-01 00:00:00", end: "2026-06-30 23:59:59" },
  events: ["app_install", "app_order_complete"],
  properties: ["event_datetime", "channel", "event_value"],
  filters: [
    { dimension: "channel", filterType: "IN", values: ["kakao"] },
    { field: "os_name", filterType: "NOT IN", values: ["Web", ""] },
  ],
};

const faultsOf = (change: Partial<RawExportRequest>, type: RawExportType = "app") => {
  const checked = validateRawExport(type, { ...valid, ...change }, today);
  return checked.outcome === "valid" ? [] : inShort(checked.faults);
};
const storedOf = (change: Partial<RawExportRequest>, type: RawExportType = "app") => {
  const checked = validateRawExport(type, { ...valid, ...change }, today);
  return checked.outcome === "valid" ? checked.query : checked.faults;
};
const eventFaults = (events: readonly string[], type: RawExportType = "app") => faultsOf({ events }, type);

const query = suite("the query of an export");

query("is stored with its type, one name for the selector, and nothing else", () => {
  assert.equal(validateRawExport("app", valid, today), {
    outcome: "valid",
    query: {
      type: "app",
      start: "2026-06-01 00:00:00",
      end: "2026-06-30 23:59:59",
      events: ["app_install", "app_order_complete"],
      properties: ["event_datetime", "channel", "event_value"],
      filters: [
        { dimension: "channel", filterType: "IN", values: ["kakao"] },
        { dimension: "os_name", filterType: "NOT IN", values: ["Web", ""] },
      ],
    },
  });
});

query("needs no filters", () => {
  const { dateRange, events, properties } = valid;
  const checked = validateRawExport("web", { dateRange, events, properties }, today);
  assert.equal(checked.outcome === "valid" ? checked.query.filters : checked, []);
});

query("reports every fault at its path", () => {
  assert.equal(
    faultsOf({
      dateRange: { start: "2026-06-31 00:00:00", end: "2026-06-30" },
      events: ["app_install", "click"],
      properties: ["channel", "shoe_size", "channel"],
      filters: [{ filterType: "LIKE" }, { dimension: "app_installs", filterType: "IN", values: [] }],
    }),
    [
      ["dateRange", "start", "wrong_format"],
      ["dateRange", "end", "wrong_format"],
      ["events", 1, "not_allowed"],
      ["properties", 1, "not_allowed"],
      ["properties", 2, "duplicate"],
      ["filters", 0, "dimension", "missing"],
      ["filters", 0, "values", "missing"],
      ["filters", 1, "dimension", "not_allowed"],
      ["filters", 1, "values", "too_short"],
    ],
  );
});

const appKeys = [
  ...Object.keys(appEventCategories),
  ...["app_installs", "app_opens", "app_deeplink_opens", "app_deeplink_pageviews"],
  ...["app_first_order_complete", "custom:level_up", "custom:레벨 업", `custom:${"x".repeat(128)}`],
];
for (const type of ["app", "web"] as const) {
  query(`of type ${type} takes categories, their plurals, first orders and custom events`, () => {
    assert.equal(eventFaults(appKeys, type), []);
    assert.equal((storedOf({ events: appKeys }, type) as { events: unknown }).events, appKeys);
  });

  query(`of type ${type} refuses touchpoints, amounts and unknown names`, () => {
    const invalid = [
      ...["click", "impression", "clicks", "app_revenue", "app_events", "app_first_installs", "app_orders"],
      ...["APP_INSTALL", " app_install", "app_install ", "", "toString", "__proto__", "constructor"],
      ...["custom:", "custom: padded ", `custom:${"x".repeat(129)}`, "custom:a\nb", "custom_users:level_up"],
    ];
    assert.equal(
      eventFaults(invalid, type),
      invalid.map((_, index) => ["events", index, "not_allowed"]),
    );
  });
}

query("of type tracking-link takes impressions and clicks only", () => {
  assert.equal(eventFaults(["click", "impression"], "tracking-link"), []);
  const invalid = ["clicks", "impressions", "app_install", "custom:level_up", "app_first_order_complete", "Click"];
  assert.equal(
    eventFaults(invalid, "tracking-link"),
    invalid.map((_, index) => ["events", index, "not_allowed"]),
  );
});

query("stores a repeated event once, at its first place", () => {
  const events = ["app_open", "app_install", "app_open", "app_installs", "app_install"];
  assert.equal((storedOf({ events }) as { events: unknown }).events, ["app_open", "app_install", "app_installs"]);
});

query("takes every property, as a column and in a filter, in every type", () => {
  for (const key of Object.keys(rawExportProperties)) {
    const filters = [{ dimension: key, filterType: "EXIST" }] as const;
    for (const type of ["app", "web", "tracking-link"] as const) {
      const events = type === "tracking-link" ? ["click"] : ["app_install"];
      assert.equal(faultsOf({ events, properties: [key], filters }, type), [], key);
    }
  }
});

query("keeps the order of its properties", () => {
  const properties = Object.keys(rawExportProperties).reverse();
  assert.equal((storedOf({ properties }) as { properties: unknown }).properties, properties);
});

query("refuses properties that a row cannot have", () => {
  const dates = ["event_date", "event_year", "event_month", "event_week", "event_day_of_week", "event_hour"];
  const invalid = [...dates, "clicks", "shoe_size", "", "Channel", " channel", "toString", "__proto__"];
  assert.equal(
    faultsOf({ properties: invalid }),
    invalid.map((_, index) => ["properties", index, "not_allowed"]),
  );
  assert.equal(
    faultsOf({ filters: invalid.map((field) => ({ field, filterType: "NOT EXIST" as const })) }),
    invalid.map((_, index) => ["filters", index, "field", "not_allowed"]),
  );
});

query("refuses each repetition of a property, not the first", () => {
  assert.equal(faultsOf({ properties: ["ip", "channel", "ip", "ip"] }), [
    ["properties", 2, "duplicate"],
    ["properties", 3, "duplicate"],
  ]);
});

const range = suite("the range of an export");

for (const [rule, start, end, ...fault] of [
  ["is at most 31 days", "2026-05-01 12:00:00", "2026-06-01 12:00:00"],
  ["is not longer", "2026-05-01 12:00:00", "2026-06-01 12:00:01", "end", "out_of_range"],
  ["is measured in local time, across a change of clocks", "2026-03-01 00:00:00", "2026-04-01 00:00:00"],
  ["is not longer in local time", "2026-03-01 00:00:00", "2026-04-01 00:00:01", "end", "out_of_range"],
  ["begins at most 179 days ago, at any time of that date", "2026-01-02 00:00:00", "2026-01-04 00:00:00"],
  ["does not begin earlier", "2026-01-01 23:59:59", "2026-01-04 00:00:00", "start", "out_of_range"],
  ["may end later than now", "2026-06-29 00:00:00", "2026-06-30 23:59:59"],
  ["may end at the midnight after today", "2026-06-30 00:00:00", "2026-07-01 00:00:00"],
  ["may end later", "2026-06-30 23:59:59", "2026-07-31 23:59:59"],
  ["does not start tomorrow", "2026-07-01 00:00:00", "2026-07-01 00:00:01", "start", "out_of_range"],
  ["is at least one second", "2026-06-30 08:00:00", "2026-06-30 08:00:00"],
  ["does not begin after its end", "2026-06-30 08:00:01", "2026-06-30 08:00:00", "start", "out_of_range"],
  ["may begin on the last day of February", "2026-02-28 23:59:59", "2026-03-01 00:00:00"],
] as const) {
  range(`${rule}: ${start} to ${end}`, () => {
    assert.equal(faultsOf({ dateRange: { start, end } }), fault.length === 0 ? [] : [["dateRange", ...fault]]);
  });
}

for (const text of [
  ...["2026-06-01 24:00:00", "2026-06-01 23:60:00", "2026-06-01 23:59:60", "2026-06-01 99:00:00"],
  ...["2026-02-29 00:00:00", "2026-06-31 00:00:00", "2026-13-01 00:00:00", "2026-00-10 00:00:00"],
  ...["2026-6-1 00:00:00", "2026-06-01 0:00:00", "2026-06-01 00:00", "2026-06-01", "26-06-01 00:00:00"],
  ...["2026-06-01 00:00:00 ", " 2026-06-01 00:00:00", "2026-06-01  00:00:00", "2026-06-01 00:00:00\n"],
  ...["2026-06-01\t00:00:00", "2026-06-01T00:00:00", "2026-06-01 00:00:00Z", "2026-06-01 00:00:00.0"],
  ...["0000-06-01 00:00:00", "+02026-06-01 00:00", "２０２６-06-01 00:00:00", "2026/06/01 00:00:00"],
  ...["2026-06-01 00:00:00+09:00", "today", "", "1780272000"],
]) {
  range(`cannot begin or end at ${JSON.stringify(text)}`, () => {
    const { start, end } = valid.dateRange;
    assert.equal(faultsOf({ dateRange: { start: text, end } }), [["dateRange", "start", "wrong_format"]]);
    assert.equal(faultsOf({ dateRange: { start, end: text } }), [["dateRange", "end", "wrong_format"]]);
  });
}

query.run();
range.run();

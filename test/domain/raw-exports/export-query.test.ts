import { suite } from "uvu";
import * as assert from "uvu/assert";
import { appEventCategories } from "../../../domain/app-events/categories.ts";
import type { RawExportType } from "../../../domain/raw-exports/events.ts";
import { checkRawExport, type RawExportRequest } from "../../../domain/raw-exports/export-query.ts";
import { rawExportProperties } from "../../../domain/raw-exports/properties.ts";
import { filterTypes } from "../../../domain/reporting/limits.ts";
import { inShort } from "../../support/faults.ts";

const today = "2026-06-30";
const asked: RawExportRequest = {
  dateRange: { start: "2026-06-01 00:00:00", end: "2026-06-30 23:59:59" },
  events: ["app_install", "app_order_complete"],
  properties: ["event_datetime", "channel", "event_value"],
  filters: [
    { dimension: "channel", filterType: "IN", values: ["kakao"] },
    { field: "os_name", filterType: "NOT IN", values: ["Web", ""] },
  ],
};

const faultsOf = (change: Partial<RawExportRequest>, type: RawExportType = "app") => {
  const checked = checkRawExport(type, { ...asked, ...change }, today);
  return checked.outcome === "valid" ? [] : inShort(checked.faults);
};
const storedOf = (change: Partial<RawExportRequest>, type: RawExportType = "app") => {
  const checked = checkRawExport(type, { ...asked, ...change }, today);
  return checked.outcome === "valid" ? checked.query : checked.faults;
};
const eventFaults = (events: readonly string[], type: RawExportType = "app") => faultsOf({ events }, type);

const query = suite("the query of an export");

query("is stored with its type, one name for the selector, and nothing else", () => {
  assert.equal(checkRawExport("app", asked, today), {
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
  const { dateRange, events, properties } = asked;
  const checked = checkRawExport("web", { dateRange, events, properties }, today);
  assert.equal(checked.outcome === "valid" ? checked.query.filters : checked, []);
});

query("names every fault at its place, at once", () => {
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

  query(`of type ${type} takes no touchpoints, no amounts, and no names that nothing has`, () => {
    const strangers = [
      ...["click", "impression", "clicks", "app_revenue", "app_events", "app_first_installs", "app_orders"],
      ...["APP_INSTALL", " app_install", "app_install ", "", "toString", "__proto__", "constructor"],
      ...["custom:", "custom: padded ", `custom:${"x".repeat(129)}`, "custom:a\nb", "custom_users:level_up"],
    ];
    assert.equal(
      eventFaults(strangers, type),
      strangers.map((_, index) => ["events", index, "not_allowed"]),
    );
  });
}

query("of type tracking-link takes impressions and clicks alone", () => {
  assert.equal(eventFaults(["click", "impression"], "tracking-link"), []);
  const strangers = ["clicks", "impressions", "app_install", "custom:level_up", "app_first_order_complete", "Click"];
  assert.equal(
    eventFaults(strangers, "tracking-link"),
    strangers.map((_, index) => ["events", index, "not_allowed"]),
  );
});

query("stores an event that is repeated once, in the place of the first", () => {
  const events = ["app_open", "app_install", "app_open", "app_installs", "app_install"];
  assert.equal((storedOf({ events }) as { events: unknown }).events, ["app_open", "app_install", "app_installs"]);
});

for (const key of Object.keys(rawExportProperties)) {
  query(`takes the property ${key}, as a column and in a filter`, () => {
    const filters = [{ dimension: key, filterType: "EXIST" }] as const;
    for (const type of ["app", "web", "tracking-link"] as const) {
      const events = type === "tracking-link" ? ["click"] : ["app_install"];
      assert.equal(faultsOf({ events, properties: [key], filters }, type), []);
    }
  });
}

query("takes all properties together, in the order that they are asked in", () => {
  const properties = Object.keys(rawExportProperties).reverse();
  assert.equal((storedOf({ properties }) as { properties: unknown }).properties, properties);
});

query("takes no property that a row cannot have", () => {
  const dates = ["event_date", "event_year", "event_month", "event_week", "event_day_of_week", "event_hour"];
  const strangers = [...dates, "clicks", "shoe_size", "", "Channel", " channel", "toString", "__proto__"];
  assert.equal(
    faultsOf({ properties: strangers }),
    strangers.map((_, index) => ["properties", index, "not_allowed"]),
  );
  assert.equal(
    faultsOf({ filters: strangers.map((field) => ({ field, filterType: "NOT EXIST" as const })) }),
    strangers.map((_, index) => ["filters", index, "field", "not_allowed"]),
  );
});

query("names each repetition of a property, not the first", () => {
  assert.equal(faultsOf({ properties: ["ip", "channel", "ip", "ip"] }), [
    ["properties", 2, "duplicate"],
    ["properties", 3, "duplicate"],
  ]);
});

for (const filterType of filterTypes) {
  const needsValues = !filterType.endsWith("EXIST");
  query(`takes ${filterType} by either name, ${needsValues ? "with values" : "and stores no values"}`, () => {
    for (const selector of [{ dimension: "device_id" }, { field: "device_id" }]) {
      const filter = { ...selector, filterType, values: ["a*", ""] };
      assert.equal((storedOf({ filters: [filter] }) as { filters: unknown }).filters, [
        { dimension: "device_id", filterType, values: needsValues ? ["a*", ""] : [] },
      ]);
      const faults = (type: string) => (needsValues ? [["filters", 0, "values", type]] : []);
      assert.equal(faultsOf({ filters: [{ ...selector, filterType }] }), faults("missing"));
      assert.equal(faultsOf({ filters: [{ ...selector, filterType, values: [] }] }), faults("too_short"));
    }
  });
}

query("takes one selector in each filter, and tells where the second stands", () => {
  const both = { dimension: "channel", field: "channel", filterType: "EXIST" as const };
  assert.equal(faultsOf({ filters: [both] }), [["filters", 0, "field", "conflict"]]);
  assert.equal(faultsOf({ filters: [{ filterType: "EXIST" }] }), [["filters", 0, "dimension", "missing"]]);
});

query.run();

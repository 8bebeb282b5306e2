import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  namesUploadedMetrics,
  type RequestedActuals,
  validateActualsQuery,
} from "../../../../domain/reporting/actuals/query.ts";
import { inShort } from "../../../support/short-faults.ts";

const today = "2026-06-30";
const requested: RequestedActuals = {
  from: "2026-06-01",
  to: today,
  groupBys: ["event_date", "channel"],
  metrics: ["clicks", "app_installs_users", "custom:level_up", "custom_users:level_up"],
  filters: [
    { dimension: "channel", filterType: "IN", values: ["kakao"] },
    { field: "os_name", filterType: "NOT IN", values: ["Web", ""] },
  ],
  sorts: [
    { fieldName: "clicks", isAscending: false },
    { fieldName: "channel", isAscending: true },
  ],
};
const uploaded = [
  { eventCategory: "Store visits", archived: false },
  { eventCategory: "Leads", archived: true },
];

const faultsOf = (change: Partial<RequestedActuals>) => {
  const checked = validateActualsQuery({ ...requested, ...change }, today, uploaded);
  return checked.outcome === "valid" ? [] : inShort(checked.faults);
};

const query = suite("an actuals query");

query("is stored with one name for the selector", () => {
  assert.equal(validateActualsQuery(requested, today, []), {
    outcome: "valid",
    query: {
      ...requested,
      filters: [
        { dimension: "channel", filterType: "IN", values: ["kakao"] },
        { dimension: "os_name", filterType: "NOT IN", values: ["Web", ""] },
      ],
    },
  });
});

query("spans 92 dates at most", () => {
  assert.equal(faultsOf({ from: "2026-03-31" }), []);
  assert.equal(faultsOf({ from: "2026-03-30" }), [["to", "out_of_range"]]);
});

query("ends today at the latest", () => {
  assert.equal(faultsOf({ to: "2026-06-30" }), []);
  assert.equal(faultsOf({ to: "2026-07-01" }), [["to", "out_of_range"]]);
});

query("may span one date, but not run backwards", () => {
  assert.equal(faultsOf({ from: today }), []);
  assert.equal(faultsOf({ from: "2026-06-02", to: "2026-06-01" }), [["from", "out_of_range"]]);
});

query("takes calendar dates only", () => {
  for (const from of ["2026-02-30", "2026-6-1", "today", "2026-W01", "2026-06-01T00:00:00Z", ""]) {
    assert.equal(faultsOf({ from }), [["from", "wrong_format"]]);
  }
  assert.equal(faultsOf({ from: "0000-12-31", to: "0001-01-01" }), [["from", "wrong_format"]]);
});

query("begins on 2000-01-01 and 2000-01-02, not on 1999-12-31", () => {
  assert.equal(faultsOf({ from: "2000-01-02", to: "2000-01-02" }), []);
  assert.equal(faultsOf({ from: "2000-01-01", to: "2000-01-01" }), []);
  assert.equal(faultsOf({ from: "1999-12-31", to: "2000-01-01" }), [["from", "out_of_range"]]);
  assert.equal(faultsOf({ from: "0001-01-01", to: "0001-01-01" }), [["from", "out_of_range"]]);
});

query("names the faults of both dates at once", () => {
  const faults = (from: string, to: string) => faultsOf({ from, to });
  assert.equal(faults("1999-12-31", "2026-02-30"), [
    ["from", "out_of_range"],
    ["to", "wrong_format"],
  ]);
  assert.equal(faults("2026-06-01", "2026-02-30"), [["to", "wrong_format"]]);
  assert.equal(faults("2026-02-30", "2026-07-01"), [
    ["from", "wrong_format"],
    ["to", "out_of_range"],
  ]);
  assert.equal(faults("2026-07-02", "2026-07-01"), [
    ["from", "out_of_range"],
    ["to", "out_of_range"],
  ]);
});

query("names every unknown key by its place", () => {
  assert.equal(
    faultsOf({
      groupBys: ["channel", "shoe_size", "toString"],
      metrics: ["clicks", "custom:", "kicks", "ctr_users", "constructor"],
      filters: [
        { dimension: "channel", filterType: "IN", values: [""] },
        { dimension: "clicks", filterType: "IN", values: [""] },
        { field: "shoe_size", filterType: "IN", values: [""] },
        { filterType: "IN", values: [""] },
        { dimension: "channel", field: "channel", filterType: "IN", values: [""] },
      ],
      sorts: [
        { fieldName: "impressions", isAscending: true },
        { fieldName: "channel", isAscending: true },
        { fieldName: "os_name", isAscending: true },
      ],
    }),
    [
      ["groupBys", 1, "not_allowed"],
      ["groupBys", 2, "not_allowed"],
      ["metrics", 1, "not_allowed"],
      ["metrics", 2, "not_allowed"],
      ["metrics", 3, "not_allowed"],
      ["metrics", 4, "not_allowed"],
      ["filters", 1, "dimension", "not_allowed"],
      ["filters", 2, "field", "not_allowed"],
      ["filters", 3, "dimension", "missing"],
      ["filters", 4, "field", "conflict"],
      ["sorts", 0, "fieldName", "not_allowed"],
      ["sorts", 2, "fieldName", "not_allowed"],
    ],
  );
});

for (const filterType of ["IN", "NOT IN", "LIKE", "NOT LIKE"] as const) {
  query(`needs a value for ${filterType}, one of any length`, () => {
    const filter = { field: "channel", filterType };
    assert.equal(faultsOf({ filters: [filter] }), [["filters", 0, "values", "missing"]]);
    assert.equal(faultsOf({ filters: [{ ...filter, values: [] }] }), [["filters", 0, "values", "too_short"]]);
    assert.equal(faultsOf({ filters: [{ ...filter, values: [""] }] }), []);
  });
}

for (const filterType of ["EXIST", "NOT EXIST"] as const) {
  query(`needs no value for ${filterType}, and stores none`, () => {
    for (const values of [{}, { values: [] }, { values: ["kakao"] }]) {
      const checked = validateActualsQuery(
        { ...requested, filters: [{ field: "channel", filterType, ...values }] },
        today,
        [],
      );
      assert.equal(checked.outcome === "valid" && checked.query.filters, [
        { dimension: "channel", filterType, values: [] },
      ]);
    }
  });
}

query("reports every fault of a filter", () => {
  assert.equal(faultsOf({ filters: [{ dimension: "shoe_size", filterType: "LIKE" }] }), [
    ["filters", 0, "dimension", "not_allowed"],
    ["filters", 0, "values", "missing"],
  ]);
});

query("takes metrics that the app has uploaded, and not archived", () => {
  assert.equal(faultsOf({ metrics: ["Store visits", "Leads", "store visits", "clicks"], sorts: [] }), [
    ["metrics", 1, "not_allowed"],
    ["metrics", 2, "not_allowed"],
  ]);
  const sorted = { metrics: ["Store visits"], sorts: [{ fieldName: "Store visits", isAscending: true }] };
  assert.equal(faultsOf(sorted), []);
});

query("needs the uploaded metrics when it names a metric that is not in the catalogue", () => {
  assert.not.ok(namesUploadedMetrics({ metrics: ["clicks", "roas", "custom:level_up"] }));
  assert.ok(namesUploadedMetrics({ metrics: ["clicks", "Store visits"] }));
});

query.run();

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type RequestedRetention, validateRetentionQuery } from "../../../../domain/reporting/retention/query.ts";
import { inShort } from "../../../support/short-faults.ts";

const today = "2026-06-30";
const requested: RequestedRetention = {
  from: "2026-06-01",
  to: today,
  granularity: "day",
  startEvent: ["app_installs", "app_deeplink_opens"],
  returnEvents: ["app_order_complete"],
  measurementOption: "general_retention",
  groupBy: { fields: ["event_date", "channel"] },
  filters: [{ field: "channel", filterType: "IN", values: ["kakao"] }],
  sorts: [
    { fieldName: "startUsers", isAscending: false },
    { fieldName: "channel", isAscending: true },
  ],
};

const faultsOf = (change: Partial<RequestedRetention>) => {
  const checked = validateRetentionQuery({ ...requested, ...change }, today);
  return checked.outcome === "valid" ? [] : inShort(checked.faults);
};

const query = suite("a retention query");

query("is stored with its events once each, and one name for the selector", () => {
  const twice: RequestedRetention = {
    ...requested,
    startEvent: ["app_installs", "app_deeplink_opens", "app_installs"],
    returnEvents: ["app_order_complete", "app_order_complete"],
  };
  assert.equal(validateRetentionQuery(twice, today), {
    outcome: "valid",
    query: {
      from: "2026-06-01",
      to: today,
      granularity: "day",
      startEvents: ["app_installs", "app_deeplink_opens"],
      returnEvents: ["app_order_complete"],
      measurementOption: "general_retention",
      groupBys: ["event_date", "channel"],
      filters: [{ dimension: "channel", filterType: "IN", values: ["kakao"] }],
      sorts: requested.sorts,
    },
  });
});

query("stores the defaults of its pages", () => {
  const pages = { keyword: "ka", pagination: { skip: 1, size: 2 } };
  const checked = validateRetentionQuery({ ...requested, ...pages }, today);
  assert.equal(checked.outcome === "valid" && [checked.query.keyword, checked.query.pagination], [
    "ka",
    pages.pagination,
  ]);
});

for (const granularity of ["hour", "minute"] as const) {
  query(`counts each ${granularity} from installs alone`, () => {
    assert.equal(faultsOf({ granularity, startEvent: ["app_installs"] }), []);
    assert.equal(faultsOf({ granularity, startEvent: ["app_deeplink_opens"] }), [["granularity", "not_allowed"]]);
    assert.equal(faultsOf({ granularity, startEvent: ["app_installs", "app_deeplink_pageviews"] }), [
      ["granularity", "not_allowed"],
    ]);
  });
}

query("names every unknown key by its place", () => {
  assert.equal(
    faultsOf({
      from: "2026-02-30",
      groupBy: { fields: ["channel", "shoe_size"] },
      filters: [
        { dimension: "channel", filterType: "IN", values: [""] },
        { field: "startUsers", filterType: "IN", values: [""] },
      ],
      sorts: [
        { fieldName: "channel", isAscending: true },
        { fieldName: "app_installs", isAscending: true },
      ],
    }),
    [
      ["from", "wrong_format"],
      ["groupBy", "fields", 1, "not_allowed"],
      ["filters", 1, "field", "not_allowed"],
      ["sorts", 1, "fieldName", "not_allowed"],
    ],
  );
});

query.run();

import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  type RequestedActiveUsers,
  validateActiveUsersQuery,
} from "../../../../domain/reporting/active-users/query.ts";
import { inShort } from "../../../support/short-faults.ts";

const today = "2026-06-30";
const requested: RequestedActiveUsers = {
  from: "2026-06-01",
  to: today,
  granularity: "week",
  metrics: ["app_au", "app_pu", "app_arpu", "app_arppu", "app_revenue", "app_au"],
  groupBy: { fields: ["channel", "event_date"] },
  filters: [
    { dimension: "channel", filterType: "IN", values: ["kakao"] },
    { field: "os_name", filterType: "EXIST", values: ["Web"] },
  ],
};

const faultsOf = (change: Partial<RequestedActiveUsers>) => {
  const checked = validateActiveUsersQuery({ ...requested, ...change }, today);
  return checked.outcome === "valid" ? [] : inShort(checked.faults);
};

const query = suite("an active users query");

query("is stored with its group-bys in a list and one name for the selector of filters", () => {
  assert.equal(validateActiveUsersQuery(requested, today), {
    outcome: "valid",
    query: {
      from: "2026-06-01",
      to: today,
      granularity: "week",
      metrics: ["app_au", "app_pu", "app_arpu", "app_arppu", "app_revenue", "app_au"],
      groupBys: ["channel", "event_date"],
      filters: [
        { dimension: "channel", filterType: "IN", values: ["kakao"] },
        { dimension: "os_name", filterType: "EXIST", values: [] },
      ],
    },
  });
});

query("names every unknown key by its place, all at once", () => {
  assert.equal(
    faultsOf({
      from: "2026-02-30",
      metrics: ["app_au", "clicks", "app_installs", "toString"],
      groupBy: { fields: ["channel", "shoe_size", "app_au"] },
      filters: [
        { field: "shoe_size", filterType: "IN", values: ["45"] },
        { dimension: "channel", filterType: "LIKE" },
      ],
    }),
    [
      ["from", "wrong_format"],
      ["metrics", 1, "not_allowed"],
      ["metrics", 2, "not_allowed"],
      ["metrics", 3, "not_allowed"],
      ["groupBy", "fields", 1, "not_allowed"],
      ["groupBy", "fields", 2, "not_allowed"],
      ["filters", 0, "field", "not_allowed"],
      ["filters", 1, "values", "missing"],
    ],
  );
});

query.run();

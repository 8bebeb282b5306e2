import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { ReportFilter } from "../../../../domain/report-tasks/events.ts";
import { groupBys } from "../../../../domain/reporting/catalogue/group-bys.ts";
import { filterTypes } from "../../../../domain/reporting/query-validation.ts";
import { ask, cellsOf, install, openFacts, order, spend, spring, visits } from "./advertising.ts";
import { passes } from "./reference.ts";

const facts = await openFacts();
const filtering = suite("filters of an actuals report");
filtering.after(() => facts.close());

/** Installs of campaigns with such names, one each; null: unattributed. */
const names = ["Spring_Sale", "springXsale", "50% off", "back\\slash", "été", "ΟΔΟΣ", "straße", "?:p0", null] as const;
const installs = names.map((campaign) => ({
  ...install,
  label: campaign === null ? null : { source: { ...spring, campaign }, kind: "click" as const },
}));

/** Values by operator, and the campaigns that are left. */
const worked: readonly (readonly [ReportFilter["filterType"], readonly string[], readonly (string | null)[]])[] = [
  ["IN", ["Spring_Sale", "50% off", "SPRINGXSALE"], ["50% off", "Spring_Sale"]],
  ["IN", [""], [null]],
  ["NOT IN", ["Spring_Sale", "", "ΟΔΟΣ", "straße"], ["50% off", "?:p0", "back\\slash", "springXsale", "été"]],
  ["LIKE", ["SPRING"], ["Spring_Sale", "springXsale"]],
  ["LIKE", ["g_s"], ["Spring_Sale"]],
  ["LIKE", ["0%"], ["50% off"]],
  ["LIKE", ["%"], ["50% off"]],
  ["LIKE", ["\\"], ["back\\slash"]],
  ["LIKE", ["ck\\sl", "?:P0"], ["?:p0", "back\\slash"]],
  ["LIKE", ["ÉT", "οδος", "οσ"], ["été", "ΟΔΟΣ"]],
  ["LIKE", ["STRASSE"], ["straße"]],
  ["LIKE", ["sp*sale"], ["Spring_Sale", "springXsale"]],
  ["LIKE", ["sale*sp"], []],
  ["LIKE", ["s**e*"], ["Spring_Sale", "springXsale", "straße"]],
  ["LIKE", [".*"], []],
  ["LIKE", [""], ["50% off", "?:p0", "Spring_Sale", "back\\slash", "springXsale", "straße", "été", "ΟΔΟΣ", null]],
  ["LIKE", ["*"], ["50% off", "?:p0", "Spring_Sale", "back\\slash", "springXsale", "straße", "été", "ΟΔΟΣ", null]],
  ["NOT LIKE", ["s", "T"], ["50% off", "?:p0", "ΟΔΟΣ", null]],
  ["NOT LIKE", ["*"], []],
  ["EXIST", [], ["50% off", "?:p0", "Spring_Sale", "back\\slash", "springXsale", "straße", "été", "ΟΔΟΣ"]],
  ["NOT EXIST", [], [null]],
];

for (const [filterType, values, campaigns] of worked) {
  filtering(`${filterType} ${JSON.stringify(values)} leaves ${campaigns.length} of ${names.length}`, async () => {
    const filters = [{ dimension: "campaign", filterType, values }];
    const sorts = [{ fieldName: "campaign", isAscending: true }];
    const question = ask({ groupBys: ["campaign"], metrics: ["app_installs"], filters, sorts });
    assert.equal((await facts.answer({ appEvents: installs }, question)).map(cellsOf), [
      campaigns.map((campaign) => [[campaign], ["1"]]),
    ]);
  });
}

filtering("all of them must let a fact pass", async () => {
  const filter = (filterType: ReportFilter["filterType"], ...values: readonly string[]): ReportFilter => {
    return { dimension: "campaign", filterType, values };
  };
  const filters = [filter("EXIST"), filter("LIKE", "spring", "off"), filter("NOT LIKE", "_"), filter("NOT IN", "x")];
  const question = ask({ groupBys: ["campaign"], metrics: ["app_installs"], filters });
  assert.equal((await facts.answer({ appEvents: installs }, question)).map(cellsOf), [
    [
      [["50% off"], ["1"]],
      [["springXsale"], ["1"]],
    ],
  ]);
});

filtering("apply to every key with every operator, for each kind of facts", async () => {
  const click = { ...install, kind: "click" as const, human: true, source: spring };
  const kinds = {
    clicks: { touchpoints: [click] },
    app_order_complete: { appEvents: [order] },
    cost_channel: { uploads: { spend: [spend] } },
    "Store visits": { uploads: { uploadedMetrics: [visits] } },
  };
  const keys = Object.keys(groupBys);
  for (const [metric, fact] of Object.entries(kinds)) {
    const grouped = await facts.answer(fact, ...keys.map((key) => ask({ groupBys: [key], metrics: [metric] })));
    const values = grouped.map(({ rows }) => rows[0]?.groupBys[0] ?? "");
    const filters = keys.flatMap((dimension, index) =>
      filterTypes.map((filterType) => ({ dimension, filterType, values: [values[index] ?? ""] })),
    );
    const counted = (
      await facts.answer(fact, ...filters.map((filter) => ask({ metrics: [metric], filters: [filter] })))
    ).map(({ rows }) => rows[0]?.values[0] !== "0");
    assert.equal(
      counted,
      filters.map(({ filterType, values }) => passes(values[0] ?? "", { filterType, values })),
      metric,
    );
  }
});

filtering.run();

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { everyRoute } from "../../../support/every-route.ts";
import { serveRoutes } from "../../../support/served-routes.ts";
import { errorsOf } from "../../../support/short-faults.ts";

const range = { from: "2026-03-01", to: "2026-03-01", filters: [] };
const grouped = { ...range, granularity: "day", groupBy: { fields: ["chanel"] } };
const cohort = { ...grouped, returnEvents: ["app_order_complete"], sorts: [] };

/** For each route with rules that its schema does not have: a body that breaks one, and the field of the fault. */
const cases: { readonly [route: string]: readonly [path: string, body: object, field: string] } = {
  "POST /v1/tracking-links": [
    "/v1/tracking-links",
    { channel: "kakao", deeplinkUrl: "javascript:alert(1)" },
    "deeplinkUrl",
  ],
  "PATCH /v1/tracking-links/:id/og-tag": [
    "/v1/tracking-links/1/og-tag?idType=shortId",
    { title: "Spring", description: "Sale", imageUrl: "ftp://a.example" },
    "imageUrl",
  ],
  "PATCH /v1/tracking-links/:id/routing": [
    "/v1/tracking-links/1/routing?idType=shortId",
    { deeplinkUrl: "javascript:alert(1)" },
    "deeplinkUrl",
  ],
  "PUT /admin/v1/exchange-rates/:date": [
    "/admin/v1/exchange-rates/2026-03-01",
    { base: "USD", rates: { USD: 1 } },
    "rates",
  ],
  "PUT /admin/v1/exchange-rates": [
    "/admin/v1/exchange-rates",
    { dates: { "1999-12-31": { base: "USD", rates: { EUR: 1 } } } },
    "dates",
  ],
  "POST /admin/v1/apps/:app_name/tokens": ["/admin/v1/apps/shop/tokens", { kind: "api" }, "role"],
  "PUT /admin/v1/apps/:app_name/conversion-values": [
    "/admin/v1/apps/shop/conversion-values",
    {
      configType: "SKAN_3",
      postbacks: [
        { postbackSequenceIndex: 1, coarse: { schema: [{ conversionValue: "low", events: [] }] } },
        { postbackSequenceIndex: 1, coarse: { schema: [{ conversionValue: "low", events: [] }] } },
      ],
    },
    "postbacks",
  ],
  "POST /log-export/api/v3/apps/:app_name/:type/request": [
    "/log-export/api/v3/apps/shop/app/request",
    { dateRange: { start: "today", end: "now" }, events: ["app_install"], properties: ["event_id"] },
    "dateRange",
  ],
  "POST /reports/api/v7/apps/:app_name/actuals/query": [
    "/reports/api/v7/apps/shop/actuals/query",
    { ...range, groupBys: ["chanel"], metrics: ["clicks"], sorts: [] },
    "groupBys",
  ],
  "POST /reports/api/v4/apps/:app_name/active-users/query": [
    "/reports/api/v4/apps/shop/active-users/query",
    { ...grouped, metrics: ["app_au"] },
    "groupBy",
  ],
  "POST /reports/api/v5/apps/:app_name/retention/query": [
    "/reports/api/v5/apps/shop/retention/query",
    { ...cohort, startEvent: ["app_installs"], measurementOption: "general_retention" },
    "groupBy",
  ],
  "POST /reports/api/v3/apps/:app_name/revenue/query": [
    "/reports/api/v3/apps/shop/revenue/query",
    { ...cohort, startEvents: ["app_install"], metric: "app_revenue", aggregationType: "on-day" },
    "groupBy",
  ],
  "POST /admin/v1/apps/:app_name/webhooks": [
    "/admin/v1/apps/shop/webhooks",
    { url: "http://shop.example", types: ["report.finished"] },
    "url",
  ],
  "PATCH /admin/v1/apps/:app_name/webhooks/:webhook_id": [
    "/admin/v1/apps/shop/webhooks/0195e7a0-0000-7000-8000-000000000001",
    { url: "http://shop.example" },
    "url",
  ],
};

const { call, close } = await serveRoutes(everyRoute);
const rules = suite("a route with rules beside its schema");
rules.after(close);

rules("has a case here", () => {
  const withRules = everyRoute.filter(({ rules }) => rules !== undefined);
  assert.equal(
    withRules.map(({ method, path }) => `${method.toUpperCase()} ${path}`).sort(),
    Object.keys(cases).sort(),
  );
});

for (const [name, [path, body, field]] of Object.entries(cases)) {
  rules(`reports shape and meaning at once: ${name}`, async () => {
    const token = path.startsWith("/admin/") ? "operator" : "owner";
    const [method = ""] = name.split(" ");
    const answer = await call(method, path, { token, body: { ...body, no_such_field: 1 } });
    assert.ok([400, 404, 422].includes(answer.status), answer.text);
    assert.equal(
      [...new Set(errorsOf(answer).map(([, first]) => first))].sort(),
      [field, "no_such_field"].sort(),
      answer.text,
    );
  });
}

const actuals = { ...range, groupBys: [], metrics: ["clicks"], sorts: [] };
const exported = { dateRange: { start: "2026-03-01 00:00:00", end: "2026-03-02 00:00:00" } };
for (const [name, path, body, faults] of [
  [
    "a required field of a wrong shape beside an unknown key",
    "/reports/api/v7/apps/shop/actuals/query",
    { ...actuals, from: 5, groupBys: ["chanel"] },
    ["from", "groupBys"],
  ],
  [
    "a required field that is missing beside an unknown key",
    "/reports/api/v7/apps/shop/actuals/query",
    { ...range, groupBys: ["chanel"], sorts: [], metrics: undefined },
    ["groupBys", "metrics"],
  ],
  [
    "nothing that depends on the faulty field: dates",
    "/reports/api/v7/apps/shop/actuals/query",
    { ...actuals, from: 5, to: "1999-01-01" },
    ["from"],
  ],
  [
    "nothing that depends on the faulty field: sorts",
    "/reports/api/v7/apps/shop/actuals/query",
    { ...actuals, metrics: "clicks", sorts: [{ fieldName: "clicks", isAscending: true }] },
    ["metrics"],
  ],
  [
    "sorts when another field is faulty",
    "/reports/api/v7/apps/shop/actuals/query",
    { ...actuals, filters: {}, sorts: [{ fieldName: "cliks", isAscending: true }] },
    ["filters", "sorts"],
  ],
  [
    "a list of a wrong shape beside a property and a range that are refused",
    "/log-export/api/v3/apps/shop/app/request",
    { ...exported, events: "app_install", properties: ["event_idd"] },
    ["dateRange", "events", "properties"],
  ],
] as const) {
  rules(`reports ${name}`, async () => {
    const answer = await call("POST", path, { token: "owner", body });
    assert.equal(answer.status, 400, answer.text);
    assert.equal([...new Set(errorsOf(answer).map(([, first]) => first))].sort(), [...faults], answer.text);
  });
}

rules("does not report a faulty field as missing", async () => {
  const body = { kind: "api", role: "boss" };
  const answer = await call("POST", "/admin/v1/apps/shop/tokens", { token: "operator", body });
  assert.equal(errorsOf(answer), [["body", "role", "not_allowed"]]);
});

rules.run();

import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import standardFormats from "ajv-formats";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { reportModules } from "../../../../infra/composition/report-modules.ts";
import { defaultRateLimits, type RateLimits } from "../../../../infra/config/rate-limits.ts";
import { openApiDocument } from "../../../../infra/http/openapi/document.ts";
import { bundleExample } from "../../../../infra/http/openapi/shared-schemas.ts";
import { addFormats } from "../../../../infra/http/request/formats.ts";
import { cutPointsOf } from "../../../../read-api/prediction/context-checks.ts";
import { document, operationNames, served } from "../../../support/documented-responses.ts";
import { everyOpenEndpoint, everyRoute } from "../../../support/every-route.ts";

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ name: `${method} ${path}`, operation })),
);

const test = suite("the OpenAPI document");

test("is valid OpenAPI 3.1", async () => {
  const result = await new Validator().validate(JSON.parse(JSON.stringify(document)));
  assert.equal(result.valid ? [] : result.errors, []);
});

test("has every route and what takes no token, each with an id of its own", () => {
  const count = everyRoute.length + everyOpenEndpoint.length;
  assert.is(operationNames.length, count);
  assert.is(new Set(operations.map(({ operation }) => operation.operationId)).size, count);
});

test("describes each operation and links to its rules", () => {
  const silent = operations
    .filter(
      ({ operation: { summary, description } }) => summary.length < 5 || !/^\S.{15,}\n\nRules: /s.test(description),
    )
    .map(({ name }) => name);
  assert.equal(silent, []);
});

test("has the rate limits of the instance", () => {
  const limitOf = (rateLimits: RateLimits | "off"): unknown =>
    openApiDocument({ ...served, rateLimits }, "0.0.0", "2026-03-01").paths["/v1/tracking-links"]?.post?.[
      "x-rate-limit"
    ];
  const limits = { ...defaultRateLimits, "link-creation": { count: 5, seconds: 60 } };
  assert.equal([limitOf(limits), limitOf("off")], ["link-creation: 5 in 60 s", "none"]);
});

test("names the limit of operators where that of tokens is another one", () => {
  const { paths } = openApiDocument({ ...served, rateLimits: defaultRateLimits }, "0.0.0", "2026-03-01");
  const explain = paths["/admin/v1/apps/{app_name}/report-tasks/{task_id}/explain"]?.post;
  assert.is(explain?.["x-rate-limit"], "report-request: 60 in 60 s; other: 100 in 1 s");
});

test("has examples of yesterday where a call refuses old times", () => {
  const dated = openApiDocument(served, "0.0.0", "2026-03-01").paths;
  const bodies = [
    "/log-export/api/v3/apps/{app_name}/{type}/request",
    "/events/v1/apps/{app_name}/app-events/beacon",
  ].map((path) => dated[path]?.post?.requestBody?.content["application/json"]?.example);
  const [exported, sent] = bodies as [{ dateRange: object }, { events: readonly { eventTimestamp: string }[] }];
  assert.equal(exported.dateRange, { start: "2026-02-28 00:00:00", end: "2026-02-28 23:59:59" });
  assert.is(sent.events[0]?.eventTimestamp, "2026-02-28T09:00:00Z");
  const week = { from: "2026-02-22", to: "2026-02-28" };
  for (const { path } of Object.values(reportModules)) {
    const request = dated[path.replace(":app_name", "{app_name}")]?.post?.requestBody;
    const { from, to } = (request?.content["application/json"]?.example ?? {}) as Partial<typeof week>;
    assert.equal({ from, to }, week, path);
  }
});

test("has examples of bodies that fit each other: what one call sends, another one finds", () => {
  const sentTo = (path: string) => document.paths[path]?.post?.requestBody?.content["application/json"]?.example;
  const app = "/apps/{app_name}";
  const { events } = sentTo(`/events/v1${app}/app-events`) as { events: readonly { user?: object }[] };
  assert.equal(sentTo("/entry/inference/v1/context"), events[0]?.user);
  const { touchpoints } = sentTo(`/events/v1${app}/touchpoints`) as {
    touchpoints: readonly { campaignParams?: { campaign: string } }[];
  };
  const { groupBys } = sentTo(`/reports/api/v7${app}/actuals/query`) as { groupBys: readonly string[] };
  const { row } = sentTo(`/admin/v1${app}/report-tasks/{task_id}/explain`) as { row: readonly string[] };
  assert.equal([groupBys, row], [["campaign"], [touchpoints[0]?.campaignParams?.campaign]]);
});

test("has samples that send a key in the header and as api_key", () => {
  const samples = document.paths["/skadnetwork/v1/conversion-value-schema"]?.get?.["x-codeSamples"] ?? [];
  const address = "https://api.example/skadnetwork/v1/conversion-value-schema";
  const query = "ios_store_app_id=123456789&response_format=partner_v1";
  const environment = 'process.env.TOUCHLEDGER_TOKEN ?? ""';
  const sent = [
    [`"${address}?api_key=$TOUCHLEDGER_TOKEN&${query}"`, `"Authorization: Bearer $TOUCHLEDGER_TOKEN"`],
    [`token: ${environment} }`, `"api_key": ${environment},`],
    [
      `f"${address}?api_key={os.environ['TOUCHLEDGER_TOKEN']}&${query}"`,
      `{"Authorization": "Bearer " + os.environ["TOUCHLEDGER_TOKEN"]}`,
    ],
  ];
  const missing = samples.map(({ source }, index) => sent[index]?.filter((part) => !source.includes(part)));
  assert.equal(missing, [[], [], []]);
});

for (const [formats, ajv] of [
  ["all formats", addFormats(new Ajv2020({ strict: false }))],
  ["the standard formats alone", standardFormats.default(new Ajv2020({ strict: false, logger: false }))],
] as const) {
  test(`has examples of bodies and responses that match their schemas, with ${formats}`, () => {
    const validators = new Map<string, ValidateFunction>();
    const validatorOf = (schema: unknown): ValidateFunction => {
      const key = JSON.stringify(schema);
      const known = validators.get(key) ?? ajv.compile({ ...(schema as object), components: document.components });
      validators.set(key, known);
      return known;
    };
    const wrong = operations.flatMap(({ name, operation: { requestBody, responses } }) => {
      const described = [["body", requestBody] as const, ...Object.entries(responses)];
      return described.flatMap(([part, one]) =>
        Object.entries(one?.content ?? {}).flatMap(([mediaType, { schema, example }]) => {
          if (example === undefined) return [`${name}: ${part} has no example`];
          if (!mediaType.endsWith("json")) return [];
          const isValid = validatorOf(schema);
          return isValid(example) ? [] : [`${name}: ${part}: ${ajv.errorsText(isValid.errors)}`];
        }),
      );
    });
    assert.equal(wrong, []);
  });
}

test("has an example of a bundle that can serve", () => {
  assert.is.not(cutPointsOf(bundleExample), null);
});

test.run();

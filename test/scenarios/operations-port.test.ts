import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { OpenApiDocument } from "../../infra/http/openapi/open-api.ts";
import {
  type RunningApplication,
  registerApp,
  runApplication,
  temporaryDirectory,
} from "../support/application-process.ts";
import { runProgram } from "../support/command-line.ts";
import { testPostgres } from "../support/stores.ts";

const settings = { OPERATIONS_PORT: "0", DATABASE_URL: await testPostgres() };
const test = suite<{ application: RunningApplication; path: string; remove(): Promise<void> }>("A port for operations");
test.before(async (context) => {
  Object.assign(context, await temporaryDirectory());
  context.application = await runApplication(context.path, settings);
});
test.after(async ({ application, remove }) => {
  await application.stop();
  await remove();
});

test("serves metrics, version and administration; the main port serves everything else", async ({ application }) => {
  const { baseUrl, operationsUrl, adminToken } = application.run;
  const { api, link } = await registerApp(application.operator);
  const outcome = async (address: string, token = adminToken): Promise<string> => {
    const response = await fetch(address, { headers: { Authorization: `Bearer ${token}` }, redirect: "manual" });
    const text = await response.text();
    return `${response.status} ${/"code":"(\w+)"/.exec(text)?.[1] ?? ""}`.trim();
  };
  const outcomes = async (url: string) => [
    await outcome(`${url}/metrics`),
    await outcome(`${url}/version`),
    await outcome(`${url}/admin/v1/apps`),
    await outcome(`${url}/admin/v1/apps/shop`, api),
    await outcome(`${url}/admin/v1/apps`, api),
    await outcome(`${url}/livez`),
    await outcome(`${url}/readyz`),
    await outcome(`${url}/v1/tracking-links?from=2026-01-01&to=2026-01-01`, api),
    await outcome(`${url}/open`),
    await outcome(`${url}/l/unknown`),
  ];
  const unknown = "404 NOT_FOUND";
  assert.equal(await outcomes(operationsUrl), [
    ...["200", "200", "200", "200", "403 FORBIDDEN"],
    ...[unknown, unknown, unknown, unknown, unknown],
  ]);
  assert.equal(await outcomes(baseUrl), [
    ...[unknown, unknown, unknown, unknown, unknown],
    ...["200", "200", "200", "200", "404"],
  ]);
  // The app that was registered on one port is known on the other.
  const created = await application.client(link).send("POST", "/v1/tracking-links", { channel: "appier" });
  const { shortUrl } = (created as { data: { trackingLink: { shortUrl: string } } }).data.trackingLink;
  assert.ok(shortUrl.startsWith(`${baseUrl}/l/`));
});

test("describes the paths that each port serves itself", async ({ application }) => {
  const { baseUrl, operationsUrl } = application.run;
  const described = async (url: string) => {
    const answer = await fetch(`${url}/openapi.json`);
    const { servers, paths } = (await answer.json()) as { servers: { url: string }[]; paths: object };
    const [administration, others] = [[] as string[], [] as string[]];
    for (const path of Object.keys(paths)) (path.startsWith("/admin/v1/") ? administration : others).push(path);
    return { server: servers[0]?.url, administration, others, page: (await fetch(`${url}/docs`)).status };
  };
  const ofPublic = await described(baseUrl);
  assert.equal([ofPublic.server, ofPublic.administration, ofPublic.page], [baseUrl, [], 200]);
  assert.ok(ofPublic.others.includes("/livez") && ofPublic.others.includes("/v1/tracking-links"));
  const ofOperations = await described(operationsUrl);
  assert.equal(ofOperations, {
    ...{ server: operationsUrl, administration: ofOperations.administration, page: 200 },
    others: ["/metrics", "/version", "/openapi.json", "/docs"],
  });
  assert.ok(ofOperations.administration.includes("/admin/v1/apps"));
});

test("suggests the paths that each port serves, those without a token too", async ({ application }) => {
  const { baseUrl, operationsUrl } = application.run;
  const suggested = async (address: string) => /mean (\S+)\?/.exec(await (await fetch(address)).text())?.[1];
  for (const [misspelled, ofPublic, ofOperations] of [
    ["/openapi.jsn", "/openapi.json", "/openapi.json"],
    ["/doc", "/docs", "/docs"],
    ["/redyz", "/readyz", undefined],
    ["/metric", undefined, "/metrics"],
    ["/v1/tracking-link", "/v1/tracking-links", undefined],
    ["/admin/v1/app", undefined, "/admin/v1/apps"],
  ] as const) {
    const suggestions = [await suggested(baseUrl + misspelled), await suggested(operationsUrl + misspelled)];
    assert.equal(suggestions, [ofPublic, ofOperations], misspelled);
  }
});

test("takes the samples of its documentation", async ({ application }) => {
  const { baseUrl, operationsUrl, adminToken } = application.run;
  const app = { name: "samples", timezone: "Asia/Seoul", currency: "USD", ownerEmail: "owner@shop.example" };
  const { api, sdk } = await registerApp(application.operator, app);
  const certification = "/admin/v1/channels/tiktok/certification";
  const certified = await application.operator.send("PUT", certification, { responseFormat: "partner_v1" });
  const { apiKey } = certified as { apiKey: string };
  const tokens = { owner: api, sdk, channel: apiKey, operator: adminToken };
  const tokenOf = (permitted: readonly string[]): string =>
    Object.entries(tokens).find(([holder]) => permitted.includes(holder))?.[1] ?? adminToken;
  const refused: object[] = [];
  for (const url of [baseUrl, operationsUrl]) {
    const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as OpenApiDocument;
    const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
    assert.ok(operations.length > 20);
    for (const { "x-codeSamples": samples, "x-permissions": permitted } of operations) {
      const curl = samples.find(({ lang }) => lang === "curl")?.source ?? "";
      if (curl.includes(" -F ")) continue;
      const [, method = "", address = ""] = /^curl -X (\w+) ["']([^"']+)["']/.exec(curl) ?? [];
      const token = tokenOf(permitted);
      const body = /-d '(.*)'$/s.exec(curl)?.[1];
      const response = await fetch(address.replace("/shop", "/samples").replace("$TOUCHLEDGER_TOKEN", token), {
        ...{ method, body: body ?? null, redirect: "manual" },
        headers: {
          Authorization: `Bearer ${token}`,
          ...(body === undefined ? {} : { "Content-Type": "application/json" }),
        },
      });
      const text = await response.text();
      const problem = response.status < 400 ? null : (JSON.parse(text) as SentProblem);
      if (problem !== null && (response.status === 401 || isRefused(problem)))
        refused.push({ method, address, problem });
    }
  }
  assert.equal(refused, []);
});

interface SentProblem {
  readonly status: number;
  readonly code: string;
  readonly errors?: readonly { readonly type: string }[];
}

/** Not: what is named does not exist here, or the date of the sample is too long ago by now. */
function isRefused({ status, code, errors = [] }: SentProblem): boolean {
  const isOld = errors.length > 0 && errors.every(({ type }) => type === "out_of_range");
  return [400, 405, 415, 422, 500].includes(status) && !code.endsWith("_NOT_FOUND") && !isOld;
}

test("is found by the commands of operators", async ({ application, path }) => {
  const environment = { DATA_DIR: path, ADMIN_TOKEN: "" };
  assert.is((await runProgram(["bundle", "list"], environment)).code, 0);
  // A token of an app, which the API refuses where it has the path.
  const token = { TOUCHLEDGER_TOKEN: "unknown" };
  const shown = await runProgram(["conversion-values", "show", "--app", "shop"], { ...environment, ...token });
  assert.match(shown.err, `${application.run.operationsUrl} refused with 401`);
  assert.match(application.output(), `Operations are at ${application.run.operationsUrl}.`);
});

test("knows when tokens were last used, also after it has been stopped", async (context) => {
  const usesOf = async ({ operator }: RunningApplication) => {
    const { data } = (await operator.send("GET", "/admin/v1/apps/shop/tokens")) as {
      data: { tokens: readonly { kind: string; lastUsedAt: string | null }[] };
    };
    return Object.fromEntries(data.tokens.map(({ kind, lastUsedAt }) => [kind, lastUsedAt]));
  };
  const { link, sdk } = await usesOf(context.application);
  assert.ok(Math.abs(Date.parse(link ?? "") - Date.now()) < 60_000);
  assert.is(sdk, null);
  await context.application.stop();
  context.application = await runApplication(context.path, settings);
  const again = await usesOf(context.application);
  assert.equal([again.link, again.sdk], [link, null]);
});

test.run();

// time limit: 120 s
import { readdir, readFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { localDate } from "../../domain/values/local-time.ts";
import { revenue, skan3, skan4 } from "../examples/conversion-values.ts";
import { clientOf } from "../support/raw-client.ts";
import { runShop } from "../support/running-shop.ts";

const iosStoreId = "987654321";
const responseFormat = "TikTok For Business";
const feedPath = "/skadnetwork/v1/conversion-value-schema";
const shop = { name: "shop", timezone: "Asia/Seoul", currency: "USD", ownerEmail: "owner@shop.example", iosStoreId };
const valuesPath = "/admin/v1/apps/shop/conversion-values";

// The files of the embedded event store are searched, too.
const environment = { LOG_LEVEL: "trace", RATE_LIMITS: "on", EVENTSTORE_URL: "" };
const { application, tokens, directory, end } = await runShop(environment, shop);
const owner = tokens.api;
const call = clientOf(application.run.port);
const certification = { responseFormat };
const { apiKey } = (await application.operator.send(
  "PUT",
  "/admin/v1/channels/tiktok/certification",
  certification,
)) as { readonly apiKey: string };

const test = suite("conversion values on a running instance");
test.after(end);

const put = (rest: string, body: unknown) => call("PUT", `${valuesPath}${rest}`, { token: owner, body });
const queryOf = (change: Readonly<Record<string, string>> = {}): string =>
  new URLSearchParams({
    ios_store_app_id: iosStoreId,
    response_format: responseFormat,
    api_key: apiKey,
    ...change,
  }).toString();
const feed = (change: Readonly<Record<string, string>> = {}, path = feedPath) =>
  call("GET", `${path}?${queryOf(change)}`, { token: apiKey });

test("an unknown channel names the nearest one that the caller may see", async () => {
  for (const name of ["billboards", "posters"]) {
    const profile = { displayName: name, type: "custom", selfAttributing: false, costIntegrated: false };
    await application.operator.send("PUT", `/admin/v1/channels/${name}`, profile);
  }
  const created = await call("POST", "/v1/tracking-links", {
    token: owner,
    body: { channel: "billboards", campaignParams: {} },
  });
  const written = { "X-Min-Position": String(created.headers["x-log-position"]) };
  // The read model has the link before the channels are looked for.
  const today = localDate("Asia/Seoul", Date.now());
  const listed = await call("GET", `/v1/tracking-links?from=${today}&to=${today}`, { token: owner, headers: written });
  assert.is(listed.status, 200, listed.text);
  const meantBy = async (misspelled: string): Promise<string | null> => {
    const { status, text } = await put(`/partners/${misspelled}`, { events: {} });
    assert.is(status, 404);
    return /Did you mean (\S+)\?/.exec(text)?.[1] ?? null;
  };
  assert.equal(await Promise.all(["bilboards", "poster", "tik-tok"].map(meantBy)), ["billboards", null, "tiktok"]);
  const refused = await application.operator
    .send("PUT", "/admin/v1/channels/poster/certification", certification)
    .catch(String);
  assert.match(String(refused), "Did you mean posters?");
});

test("are readable as of each past instant and position", async () => {
  const models = [skan4, skan3(), skan3(revenue("app_order_complete", 0, 5))];
  const moments: string[] = [new Date().toISOString()];
  await put("/partners/tiktok", { events: { app_order_complete: "CompletePayment" } });
  for (const model of models) {
    await pause(5);
    const published = await put("", model);
    assert.is(published.status, 200);
    const answer = await feed();
    assert.equal([answer.status, (answer.json as { config_type: string }).config_type], [200, model.configType]);
    await pause(5);
    moments.push(new Date().toISOString());
  }
  const versionAt = async (rest: string): Promise<unknown> => {
    const { status, json } = await call("GET", `${valuesPath}${rest}`, { token: owner });
    const { data } = json as { data?: { conversionValues?: { version: number }; decoded?: { version: number } } };
    return data?.conversionValues?.version ?? data?.decoded?.version ?? status;
  };
  const versions = [];
  for (const moment of moments) {
    versions.push(await versionAt(`?asOf=${moment}`), await versionAt(`/decode?value=1&at=${moment}`));
  }
  assert.equal(versions, [404, 404, 1, 1, 2, 2, 3, 3]);
  const { json } = await call("GET", `${valuesPath}?asOf=${moments[2]}`, { token: owner });
  const { since } = (json as { data: { conversionValues: { since: { position: string; recordedAt: string } } } }).data
    .conversionValues;
  assert.is(await versionAt(`?asOf=${since.position}`), 2);
  assert.is(await versionAt(`?asOf=${BigInt(since.position) - 1n}`), 1);
  assert.is(await versionAt(`?asOf=${since.recordedAt}`), 2);
  assert.is(await versionAt(`?asOf=${new Date(Date.now() + 60_000).toISOString()}`), 400);
});

test("never write the key of a channel to responses, logs, metrics or files", async () => {
  const { etag = "" } = (await feed()).headers;
  const unchanged = { token: apiKey, headers: { "If-None-Match": etag } };
  const answers = [
    await feed({ response_format: "other" }),
    await feed({ ios_store_app_id: "1" }),
    await feed({ ios_store_app_id: "" }),
    await feed({ api_key: `${apiKey}x` }),
    await feed({}, "/skadnetwork/conversion-bit-config/v4"),
    await feed({}, "/skadnetwork/v1/unknown"),
    await feed({}, "/l/nobody"),
    await feed({}, "/admin/v1/apps"),
    await feed({ asOf: "x" }, valuesPath),
    await call("GET", `${feedPath}?${queryOf()}`, unchanged),
    await call("POST", `${feedPath}?${queryOf()}`, { token: apiKey }),
    await call("GET", `${feedPath}/%ff?${queryOf()}`, { token: apiKey }),
    await call("GET", `${feedPath}?${queryOf()}&${apiKey}=%ff`, { token: apiKey }),
    await call("GET", `${feedPath}?${queryOf({ api_key: apiKey.repeat(2_000) })}`, { token: apiKey }),
    await call("GET", `${feedPath}?${queryOf()}`, { token: apiKey, headers: { "X-Min-Position": apiKey } }),
  ];
  assert.equal(
    answers.map(({ status }) => status),
    [401, 404, 400, 401, 200, 404, 404, 403, 403, 304, 405, 404, 400, 431, 400],
  );
  // Answer 12: the key is the name of a parameter there, which the fault's `loc` repeats to its sender.
  for (const { text } of answers.toSpliced(12, 1)) assert.not.match(text, apiKey);
  await brokenRequest(`GET ${feedPath}?${queryOf()} HTTP/9.9\r\nAuthorization: Bearer ${apiKey}\r\n\r\n`);

  const revokedAt = performance.now();
  const removed = await call("DELETE", "/admin/v1/channels/tiktok/certification", {
    token: application.run.adminToken,
  });
  assert.is(removed.status, 204);
  while ((await feed()).status !== 401) await pause(20);
  assert.ok(performance.now() - revokedAt < 2_000, "a revoked key worked for more than 2 s");

  const metrics = (await call("GET", "/metrics")).text;
  assert.match(metrics, `route="${feedPath}"`);
  await application.stop();
  const secret = apiKey.slice("tl_channel_".length, -"_000000".length);
  assert.not.match(metrics, secret);
  assert.not.match(application.output(), secret);
  const files = await filesWith(directory, [secret, "CompletePayment"]);
  assert.equal(files.get(secret), []);
  assert.ok((files.get("CompletePayment") ?? []).some((path) => path.includes("event-store")));
});

/** Sends what is no HTTP, and waits until it is answered. */
async function brokenRequest(text: string): Promise<void> {
  const socket = connect(application.run.port, "127.0.0.1");
  socket.write(text);
  for await (const _ of socket);
}

/** Files below a directory, by the texts that are in their bytes. */
async function filesWith(path: string, texts: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, string[]>(texts.map((text) => [text, []]));
  for (const entry of await readdir(path, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    const bytes = await readFile(file);
    for (const [text, files] of found) if (bytes.includes(text)) files.push(file);
  }
  return found;
}

test.run();

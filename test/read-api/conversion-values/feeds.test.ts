import { inspect } from "node:util";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { signUp, skan3, skan4 } from "../../examples/conversion-values.ts";
import { adminToken } from "../../support/administration.ts";
import {
  bitConfigPath,
  type ConversionApplication,
  feedPath,
  iosStoreId,
  responseFormat,
  startConversionApplication,
} from "../../support/conversion-application.ts";
import type { Answer } from "../../support/raw-client.ts";
import { errorsOf } from "../../support/short-faults.ts";

let application: ConversionApplication;
let key: string;
const feeds = suite("the conversion-value feeds");
feeds.before(async () => {
  application = await startConversionApplication();
  key = await application.certify();
  await application.publish(skan4);
  await application.map("tiktok", { app_order_complete: "CompletePayment", unused: "x" });
});
feeds.after(() => application.close());

const outcome = ({ status, json }: Answer): string =>
  [status, (json as { code?: string } | null)?.code].filter((part) => part !== undefined).join(" ");
const bits = (change: Readonly<Record<string, string | undefined>> = {}, apiKey = key) =>
  application.feed(apiKey, { ios_store_app_id: undefined, ios_store_id: iosStoreId, ...change }, bitConfigPath);

feeds("return the schema exactly as the contract shows it", async () => {
  const { status, json, headers } = await application.feed(key);
  assert.is(status, 200);
  assert.is(headers["content-type"], "application/json; charset=utf-8");
  assert.is(headers["cache-control"], "private, no-cache");
  const { last_update_time: changedAt, ...rest } = json as { last_update_time: number };
  assert.ok(Number.isInteger(changedAt) && Math.abs(changedAt - Date.now() / 1_000) < 60);
  const noRange = { min_amount: null, max_amount: null };
  const signUp = {
    event_name: "app_sign_up",
    measurement_type: "engagement",
    partner_event_name: null,
    values: noRange,
  };
  const order = (min_amount: number, max_amount: number) => ({
    event_name: "app_order_complete",
    measurement_type: "revenue",
    partner_event_name: "CompletePayment",
    values: { min_amount, max_amount },
  });
  assert.equal(rest, {
    config_type: "SKAN_4",
    default_currency: "USD",
    postbacks: [
      {
        postback_sequence_index: 0,
        conversion_schema: {
          fine: {
            schema: [
              { conversion_value: "0", is_overlapped: false, events: [] },
              { conversion_value: "5", is_overlapped: false, events: [signUp] },
              { conversion_value: "37", is_overlapped: true, events: [order(0, 10.5)] },
              { conversion_value: "38", is_overlapped: true, events: [order(10, 20), signUp] },
              { conversion_value: "63", is_overlapped: false, events: [order(20, 1_000)] },
            ],
            lock_window: { type: "event", value: "app_sign_up" },
          },
          coarse: { schema: [{ conversion_value: "low", is_overlapped: null, events: [signUp] }] },
        },
      },
      {
        postback_sequence_index: 1,
        conversion_schema: {
          fine: { schema: [], lock_window: null },
          coarse: {
            schema: [
              {
                conversion_value: "low",
                is_overlapped: null,
                events: [{ ...signUp, event_name: "app_open", measurement_type: "retention" }],
              },
              { conversion_value: "high", is_overlapped: null, events: [order(0.01, 0.02)] },
            ],
          },
        },
      },
    ],
  });
});

feeds("return the deprecated configuration exactly, and name its successor", async () => {
  const { status, json, headers } = await bits();
  assert.is(status, 200);
  assert.is(headers.deprecation, "@1767225600");
  assert.is(headers.link, `<https://api.example${feedPath}>; rel="successor-version"`);
  const { last_update_time: changedAt, ...rest } = json as { last_update_time: number };
  assert.ok(Number.isInteger(changedAt));
  const order = (amount: number, max_amount: number) => ({
    event_name: "app_order_complete",
    values: { amount, max_amount },
  });
  assert.equal(rest, {
    default_currency: "USD",
    conversion_bits_rules: [
      { conversion_value: 0, events: [] },
      { conversion_value: 5, events: [{ event_name: "app_sign_up" }] },
      { conversion_value: 37, events: [order(0, 10.5)] },
      { conversion_value: 38, events: [order(10, 20), { event_name: "app_sign_up" }] },
      { conversion_value: 63, events: [order(20, 1_000)] },
    ],
  });
});

feeds("accept the store id of the deprecated one in both spellings", async () => {
  const { text } = await bits();
  assert.is((await bits({ ios_store_id: undefined, ios_store_app_id: iosStoreId })).text, text);
  assert.is((await bits({ ios_store_app_id: iosStoreId })).text, text);
  assert.is(outcome(await bits({ ios_store_app_id: "1" })), "400 VALIDATION_FAILED");
  const neither = await bits({ ios_store_id: undefined });
  assert.is(outcome(neither), "400 VALIDATION_FAILED");
  assert.is(neither.headers.deprecation, "@1767225600");
  assert.equal(errorsOf(neither), [["query", "ios_store_id", "missing"]]);
});

feeds("are for the key of a certified channel, in the header and as api_key", async () => {
  const query = (apiKey: string) =>
    new URLSearchParams({ ios_store_app_id: iosStoreId, response_format: responseFormat, api_key: apiKey });
  const call = (token: string | undefined, apiKey: string, path = feedPath) =>
    application.call("GET", `${path}?${query(apiKey)}`, token === undefined ? {} : { token });
  const other = await application.certify("kakao", "Kakao");
  const unknown = `${key.slice(0, -1)}${key.endsWith("0") ? "1" : "0"}`;
  for (const path of [feedPath, bitConfigPath]) {
    for (const [token, apiKey] of [
      ...[[undefined, key] as const, [key, ""] as const, [key, other] as const, [other, key] as const],
      ...[[unknown, unknown] as const, [key, `${key} `] as const, [key, `Bearer ${key}`] as const],
      ...[["x".repeat(10_000), "x".repeat(10_000)] as const, [adminToken, adminToken] as const],
    ]) {
      const answer = await call(token, apiKey, path);
      assert.equal([outcome(answer), answer.headers["www-authenticate"]], ["401 UNAUTHORIZED", "Bearer"], apiKey);
    }
    assert.is((await call(key, key, path)).status, 200);
  }
  const repeated = `${feedPath}?${query(key)}&api_key=${key}`;
  const illegal = ["%00", "%ff", "%"].map(
    (text) => `${feedPath}?ios_store_app_id=${iosStoreId}&response_format=x&api_key=${key}${text}`,
  );
  for (const path of [repeated, ...illegal]) {
    assert.is(outcome(await application.call("GET", path, { token: key })), "401 UNAUTHORIZED", path);
  }
  for (const change of [{ api_key: undefined }, { response_format: "Kakao" }, { response_format: "tiktok" }]) {
    assert.is(outcome(await application.feed(key, change)), "401 UNAUTHORIZED");
  }
});

feeds("respond with 400 for a missing parameter, 404 for an unknown app or a channel that is not enabled", async () => {
  assert.is(outcome(await application.feed(key, { ios_store_app_id: undefined })), "400 VALIDATION_FAILED");
  assert.is(outcome(await application.feed(key, { ios_store_app_id: "" })), "400 VALIDATION_FAILED");
  assert.is(outcome(await application.feed(key, { response_format: undefined })), "400 VALIDATION_FAILED");
  assert.is(outcome(await bits({ response_format: undefined })), "400 VALIDATION_FAILED");
  assert.is(outcome(await application.feed(key, { ios_store_app_id: "1" })), "404 APP_NOT_FOUND");
  assert.is(outcome(await bits({ ios_store_id: "constructor" })), "404 APP_NOT_FOUND");
  const other = await application.certify("appier", "Appier");
  const answer = await application.feed(other, { response_format: "Appier" });
  const unknown = await application.feed(other, { response_format: "Appier", ios_store_app_id: "1" });
  const shown = ({ status, json }: Answer) => ({ status, ...(json as object), requestId: "" });
  assert.equal(shown(answer), shown(unknown));
  assert.is((await application.feed(key, { unknown: "ignored", ios_store_id: "1" })).status, 200);
  const again = `${feedPath}?ios_store_app_id=1&ios_store_app_id=2&response_format=TikTok%20For%20Business&api_key=${key}`;
  assert.is(outcome(await application.call("GET", again, { token: key })), "400 VALIDATION_FAILED");
});

feeds("respond with 404 before the first model, 503 while the event store is unavailable", async () => {
  const fresh = await startConversionApplication();
  try {
    const apiKey = await fresh.certify();
    await fresh.map("tiktok", {});
    for (const path of [feedPath, bitConfigPath]) {
      assert.is(outcome(await fresh.feed(apiKey, {}, path)), "404 CONVERSION_MODEL_NOT_FOUND");
    }
    await fresh.publish(skan3());
    assert.is((await fresh.feed(apiKey)).status, 200);
    const stoppedAt = Date.now();
    await fresh.stopStore();
    assert.is((await fresh.feed(apiKey)).status, 200);
    await new Promise((resolve) => setTimeout(resolve, stoppedAt + 1_600 - Date.now()));
    const unavailable = await fresh.feed(apiKey);
    assert.equal([outcome(unavailable), unavailable.headers["retry-after"]], ["503 SERVICE_UNAVAILABLE", "2"]);
    assert.not.match(unavailable.text, apiKey);
    assert.ok(fresh.failures.length > 0);
    assert.not.match(inspect(fresh.failures, { depth: 20 }), apiKey.slice(11, 43));
  } finally {
    await fresh.close();
  }
});

feeds("respond with 304 for the current ETag", async () => {
  for (const path of [feedPath, bitConfigPath]) {
    const query = new URLSearchParams({
      ios_store_app_id: iosStoreId,
      response_format: responseFormat,
      api_key: key,
    });
    const call = (method: string, ifNoneMatch?: string) =>
      application.call(method, `${path}?${query}`, {
        token: key,
        headers: ifNoneMatch === undefined ? {} : { "If-None-Match": ifNoneMatch },
      });
    const whole = await call("GET");
    const etag = whole.headers.etag ?? "";
    assert.match(etag, /^"[\w-]{27}"$/);
    for (const tag of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
      const answer = await call("GET", tag);
      assert.equal([answer.status, answer.text, answer.headers.etag], [304, "", etag], tag);
      assert.is(answer.headers["cache-control"], "private, no-cache");
      assert.is(answer.headers["content-type"], undefined);
      assert.is(answer.headers.deprecation, path === feedPath ? undefined : "@1767225600");
      assert.ok(answer.headers["x-request-id"]);
    }
    for (const tag of ['"other"', "", etag.slice(1, -1)]) {
      const answer = await call("GET", tag);
      assert.equal([answer.status, answer.text], [200, whole.text], tag);
    }
    const head = await call("HEAD");
    assert.equal([head.status, head.text, head.headers.etag], [200, "", etag]);
    assert.is(head.headers["content-length"], String(Buffer.byteLength(whole.text)));
    assert.is((await call("HEAD", etag)).status, 304);
    assert.is((await application.call("GET", `${path}?${query}`, { headers: { "If-None-Match": etag } })).status, 401);
  }
});

feeds("change with the model and with the channel's own mapping", async () => {
  await application.map("kakao", {});
  const other = await application.certify("kakao", "Kakao");
  const kakao = () => application.feed(other, { response_format: "Kakao" });
  const [before, kakaoBefore] = [await application.feed(key), await kakao()];
  await application.map("tiktok", { app_order_complete: "Buy" });
  const [after, kakaoAfter] = [await application.feed(key), await kakao()];
  assert.is.not(after.headers.etag, before.headers.etag);
  assert.match(after.text, '"partner_event_name":"Buy"');
  assert.is(kakaoAfter.text, kakaoBefore.text);
  await application.publish(skan3());
  assert.match((await kakao()).text, '"config_type":"SKAN_3"');
  assert.match((await application.feed(key)).text, '"config_type":"SKAN_3"');
  await application.publish({ configType: "SKAN_4", postbacks: [{ postbackSequenceIndex: 1 }] });
  const none = (await bits()).json as { conversion_bits_rules: unknown };
  assert.equal(none.conversion_bits_rules, []);
});

feeds("list postbacks and values in ascending order, with a partner name for an event named constructor", async () => {
  await application.map("tiktok", { constructor: "made" });
  const event = (eventName: string) => ({ ...signUp, eventName });
  const fine = { schema: [9, 10, 2].map((conversionValue) => ({ conversionValue, events: [event("toString")] })) };
  const coarse = {
    schema: ["high", "low", "medium"].map((conversionValue) => ({ conversionValue, events: [event("constructor")] })),
  };
  const postbacks = [2, 0].map((postbackSequenceIndex) => ({
    postbackSequenceIndex,
    ...(postbackSequenceIndex === 0 ? { fine } : {}),
    coarse,
  }));
  await application.publish({ configType: "SKAN_4", postbacks });
  const rows = (schema: readonly FeedValue[]) =>
    schema.map(({ conversion_value, events }) => [conversion_value, events[0]?.partner_event_name]);
  const shown = (await application.feed(key)).json as Feed;
  const everyCoarse = ["low", "medium", "high"].map((value) => [value, "made"]);
  assert.equal(
    shown.postbacks.map(({ postback_sequence_index, conversion_schema: { fine, coarse } }) => [
      postback_sequence_index,
      rows(fine.schema),
      rows(coarse.schema),
    ]),
    [
      [0, ["2", "9", "10"].map((value) => [value, null]), everyCoarse],
      [2, [], everyCoarse],
    ],
  );
  const { conversion_bits_rules: rules } = (await bits()).json as {
    conversion_bits_rules: readonly { conversion_value: number }[];
  };
  assert.equal(
    rules.map(({ conversion_value }) => conversion_value),
    [2, 9, 10],
  );
});

interface FeedValue {
  readonly conversion_value: string;
  readonly events: readonly { readonly partner_event_name: string | null }[];
}
interface Feed {
  readonly postbacks: readonly {
    readonly postback_sequence_index: number;
    readonly conversion_schema: Readonly<Record<"fine" | "coarse", { readonly schema: readonly FeedValue[] }>>;
  }[];
}

feeds.run();

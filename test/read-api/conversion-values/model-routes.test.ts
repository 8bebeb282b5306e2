import { suite } from "uvu";
import * as assert from "uvu/assert";
import english from "../../../infra/http/i18n/messages/en.json" with { type: "json" };
import { revenue, signUp, skan3, skan4 } from "../../examples/conversion-values.ts";
import { type ConversionApplication, startConversionApplication } from "../../support/conversion-application.ts";
import type { Answer } from "../../support/raw-client.ts";
import { errorsOf } from "../../support/short-faults.ts";

interface Shown {
  readonly version: number;
  readonly since: { readonly position: string; readonly recordedAt: string };
  readonly publishedBy: { readonly kind: string; readonly role?: string; readonly requestId: string };
}

let application: ConversionApplication;
/** Positions of what was written: a model, a mapping, two more models. */
const positions: string[] = [];
const reading = suite("what conversion values meant");
reading.before(async () => {
  application = await startConversionApplication();
  for (const [rest, message] of [
    ["", english.CONVERSION_MODEL_NOT_FOUND],
    ["/decode?value=1", english.CONVERSION_MODEL_NOT_FOUND],
    ["?asOf=0", english["CONVERSION_MODEL_NOT_FOUND.then"]],
    ["/decode?value=1&at=0", english["CONVERSION_MODEL_NOT_FOUND.then"]],
  ] as const) {
    const nothing = await application.read(rest);
    assert.equal([code(nothing), (nothing.json as { detail: string }).detail], [noModel, message], rest);
  }
  const order = revenue("app_order_complete", 1, 2);
  const writes = [
    () => application.publish(skan4),
    () => application.map("tiktok", { app_order_complete: "CompletePayment" }),
    () => application.publish(skan3(order)),
    () => application.publish(skan3()),
  ];
  for (const write of writes) positions.push(String((await write()).headers["x-log-position"]));
});
reading.after(() => application.close());

const position = (index: number, shift = 0n): string => (BigInt(positions[index] ?? 0) + shift).toString();
const noModel = "404 CONVERSION_MODEL_NOT_FOUND";
const code = ({ status, json }: Answer): string => `${status} ${(json as { code?: string }).code}`;
const decoded = async (query: string) =>
  ((await application.read(`/decode?${query}`)).json as { data: { decoded: Shown & Record<string, unknown> } }).data
    .decoded;

reading("is the version in force then, with who published it and since when", async () => {
  const at = async (asOf: string) => {
    const { json } = await application.read(`?asOf=${asOf}`);
    return (json as { data: { conversionValues: Shown & { configType: string; partners: readonly object[] } } }).data
      .conversionValues;
  };
  const first = await at(position(0));
  assert.equal([first.version, first.configType, first.partners], [1, "SKAN_4", []]);
  assert.is(first.since.position, position(0));
  assert.ok(Math.abs(Date.parse(first.since.recordedAt) - Date.now()) < 60_000);
  const { requestId, tokenId, ...actor } = first.publishedBy as Shown["publishedBy"] & { tokenId: string };
  assert.equal(actor, { kind: "token", role: "owner", label: null });
  assert.match(tokenId, /^[0-9a-f]{32}$/);
  assert.match(requestId, /^[0-9a-f-]{36}$/);
  const mapped = await at(position(1));
  assert.is(mapped.version, 1);
  assert.match(JSON.stringify(mapped.partners), '"channel":"tiktok","events":{"app_order_complete":"CompletePayment"}');
  assert.equal([(await at(position(2, -1n))).version, (await at(position(2))).version], [1, 2]);
  const now = (await application.read("")).json as { data: { conversionValues: Shown; asOfPosition: string } };
  assert.is(now.data.conversionValues.version, 3);
});

reading("is the meaning of one value, with the names of its events at channels", async () => {
  const fine = await decoded(`value=37&postback=0&at=${position(1)}`);
  const { since, publishedBy, ...shown } = fine;
  assert.is(since.position, position(0));
  assert.is(publishedBy.role, "owner");
  assert.equal(shown, {
    value: 37,
    postback: 0,
    configType: "SKAN_4",
    version: 1,
    meaning: {
      isOverlapped: true,
      events: [
        {
          ...revenue("app_order_complete", 0, 10.5),
          partnerEventNames: { tiktok: "CompletePayment" },
        },
      ],
    },
  });
  const coarse = await decoded(`value=low&at=${position(0)}`);
  const signedUp = { ...signUp, values: null, partnerEventNames: {} };
  assert.equal([coarse.value, coarse.meaning], ["low", { isOverlapped: null, events: [signedUp] }]);
  assert.is((await decoded(`value=low&postback=2&at=${position(0)}`)).meaning, null);
  assert.equal([(await decoded("value=37")).meaning, (await decoded("value=37")).version], [null, 3]);
  assert.equal((await decoded(`value=1&at=${position(2)}`)).meaning, {
    isOverlapped: false,
    events: [{ ...revenue("app_order_complete", 1, 2), partnerEventNames: { tiktok: "CompletePayment" } }],
  });
});

reading("is a clear 404 before any model", async () => {
  for (const rest of [`?asOf=${position(0, -1n)}`, "?asOf=0", `/decode?value=1&at=${position(0, -1n)}`]) {
    const answer = await application.read(rest);
    assert.is(code(answer), noModel, rest);
  }
});

reading("requires a valid value, postback and position", async () => {
  for (const value of ["0", "63", "low", "medium", "high"]) {
    assert.is((await application.read(`/decode?value=${value}`)).status, 200, value);
  }
  const refused = [
    "",
    "value=",
    "value=64",
    "value=-1",
    "value=01",
    "value=1.5",
    "value=LOW",
    "value=NaN",
    "value=1&value=2",
  ];
  for (const query of [...refused, "value=1&postback=3", "value=1&postback=a", "value=1&at=yesterday"]) {
    assert.is(code(await application.read(`/decode?${query}`)), "400 VALIDATION_FAILED", query);
  }
  assert.is(code(await application.read("?asOf=2026-02-30T00:00:00Z")), "400 VALIDATION_FAILED");
  for (const [rest, parameter] of [
    ["?asOf=999999999", "asOf"],
    ["/decode?value=1&at=999999999", "at"],
  ] as const) {
    const ahead = await application.read(rest);
    assert.equal(errorsOf(ahead), [["query", parameter, "out_of_range"]]);
  }
  assert.is((await application.read("?unknown=1")).status, 200);
});

reading.run();

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { conversionModelStream } from "../../../domain/streams.ts";
import { type ModelBody, revenue, signUp, skan3, skan4 } from "../../examples/conversion-values.ts";
import { adminToken } from "../../support/administration.ts";
import { type ConversionApplication, startConversionApplication } from "../../support/conversion-application.ts";
import { outcomeOf } from "../../support/served-routes.ts";
import { errorsOf } from "../../support/short-faults.ts";

let application: ConversionApplication;
const writing = suite("PUT .../conversion-values and .../partners/{channel}");
writing.before(async () => {
  application = await startConversionApplication();
});
writing.after(() => application.close());

writing("publish a version for each change and respond with it and its overlaps", async () => {
  const first = await application.publish(skan4);
  assert.is(first.status, 200);
  assert.ok(first.headers["x-log-position"]);
  const { data } = first.json as { data: { conversionValues: { version: number; postbacks: readonly never[] } } };
  assert.is(data.conversionValues.version, 1);
  const [postback] = data.conversionValues.postbacks as readonly {
    fine: { schema: readonly { conversionValue: number; isOverlapped: boolean }[] };
  }[];
  assert.equal(
    postback?.fine.schema.map(({ conversionValue, isOverlapped }) => [conversionValue, isOverlapped]),
    [
      [0, false],
      [5, false],
      [37, true],
      [38, true],
      [63, false],
    ],
  );
  assert.equal((await application.publish(skan4)).json, first.json);
  const reversed = { ...skan4, postbacks: skan4.postbacks.toReversed() };
  assert.equal((await application.publish(reversed)).json, first.json);
  assert.equal((await application.publish(skan3())).json, {
    data: {
      conversionValues: {
        version: 2,
        configType: "SKAN_3",
        postbacks: [
          {
            postbackSequenceIndex: 0,
            fine: {
              schema: [{ conversionValue: 1, isOverlapped: false, events: [{ ...signUp, values: null }] }],
              lockWindow: null,
            },
            coarse: null,
          },
        ],
      },
    },
  });
  const mapped = await application.map("tiktok", { app_open: "Open" });
  assert.equal(
    [mapped.status, mapped.json],
    [200, { data: { partner: { channel: "tiktok", events: { app_open: "Open" } } } }],
  );
  await application.map("tiktok", { app_open: "Open" });
  const events = await application.events(conversionModelStream(1));
  assert.equal(
    events.map(({ type, metadata: { actor } }) => [type, actor.kind === "token" && actor.role]),
    ["ConversionModelPublished", "ConversionModelPublished", "PartnerEventsMapped"].map((type) => [type, "owner"]),
  );
});

const partnerPath = "/admin/v1/apps/shop/conversion-values/partners/tiktok";
const fine = (schema: readonly unknown[], more: object = {}) => ({
  configType: "SKAN_4",
  postbacks: [{ postbackSequenceIndex: 0, fine: { schema, ...more } }],
});
const values = (count: number) =>
  Array.from({ length: count }, (_, conversionValue) => ({ conversionValue, events: [] }));
const measured = (count: number) =>
  fine([
    {
      conversionValue: 0,
      events: Array.from({ length: count }, (_, index) => ({ ...signUp, eventName: `event ${index}` })),
    },
  ]);
const named = (eventName: unknown) => fine([{ conversionValue: 0, events: [{ ...signUp, eventName }] }]);
const ranged = (...range: readonly [unknown, unknown]) =>
  fine([{ conversionValue: 0, events: [{ ...signUp, values: { minAmount: range[0], maxAmount: range[1] } }] }]);
const postbacks = (...indexes: readonly unknown[]) => ({
  configType: "SKAN_4",
  postbacks: indexes.map((postbackSequenceIndex) => ({ postbackSequenceIndex })),
});
const coarse = (...names: readonly unknown[]) => ({
  configType: "AAK_1",
  postbacks: [
    { postbackSequenceIndex: 2, coarse: { schema: names.map((conversionValue) => ({ conversionValue, events: [] })) } },
  ],
});

const limits: readonly (readonly [what: string, body: unknown, ok: boolean])[] = [
  ["63 values", fine(values(63)), true],
  ["64 values", fine(values(64)), true],
  ["65 values", fine([...values(64), { conversionValue: 64, events: [] }]), false],
  ["15 events of a value", measured(15), true],
  ["16 events of a value", measured(16), true],
  ["17 events of a value", measured(17), false],
  ["a name of 127", named("é".repeat(127)), true],
  ["a name of 128", named("😀".repeat(128)), true],
  ["a name of 129", named("a".repeat(129)), false],
  ["no name", named(""), false],
  ["white space around a name", named(" a"), false],
  ["a name that is a number", named(1), false],
  ["no postbacks", postbacks(), false],
  ["three postbacks", postbacks(2, 0, 1), true],
  ["four postbacks", postbacks(0, 1, 2, 2), false],
  ["postback 3", postbacks(3), false],
  ["postback -1", postbacks(-1), false],
  ["a postback as text", postbacks("0"), false],
  ["every coarse value", coarse("high", "low", "medium"), true],
  ["another coarse value", coarse("LOW"), false],
  ["a number as a coarse value", coarse(0), false],
  ["a fine value of 63.5", fine([{ conversionValue: 63.5, events: [] }]), false],
  ["a fine value as text", fine([{ conversionValue: "7", events: [] }]), false],
  ["no events", fine([{ conversionValue: 1 }]), false],
  ["a range to a billion", ranged(0, 1_000_000_000), true],
  ["a range beyond", ranged(0, 1_000_000_001), false],
  ["a huge range", ranged(0, 1e308), false],
  ["a negative amount", ranged(-0.01, 1), false],
  ["an amount as text", ranged("0", "1"), false],
  ["an amount of null", ranged(0, null), false],
  ["a range of one end", fine([{ conversionValue: 0, events: [{ ...signUp, values: { minAmount: 1 } }] }]), false],
  [
    "another way of measuring",
    fine([{ conversionValue: 0, events: [{ ...signUp, measurementType: "REVENUE" }] }]),
    false,
  ],
  ["another framework", { ...skan4, configType: "SKAN_5" }, false],
  ["an unknown field", { ...skan4, note: "" }, false],
  ["an unknown field of an event", fine([{ conversionValue: 0, events: [{ ...signUp, note: 1 }] }]), false],
  ["no lock window", fine([], { lockWindow: null }), true],
  [
    "a lock window of a name of 128",
    fine([{ conversionValue: 0, events: [{ ...signUp, eventName: "a".repeat(128) }] }], {
      lockWindow: { type: "event", value: "a".repeat(128) },
    }),
    true,
  ],
  ["another lock window", fine([], { lockWindow: { type: "time", value: 24 } }), false],
  ["a lock window of a value that is none", fine([], { lockWindow: { type: "fine", value: 64 } }), false],
  ["a lock window with more fields", fine(values(1), { lockWindow: { type: "fine", value: 0, at: 1 } }), false],
];

writing("accept models up to their limits and report the location of faults", async () => {
  for (const [what, body, ok] of limits) {
    const answer = await application.publish(body);
    assert.is(answer.status, ok ? 200 : 400, `${what}: ${answer.text}`);
    if (!ok) assert.ok(errorsOf(answer).length > 0, what);
  }
  assert.equal(errorsOf(await application.publish(fine([{ conversionValue: 64, events: [] }]))), [
    ["body", "postbacks", 0, "fine", "schema", 0, "conversionValue", "out_of_range"],
  ]);
  const NaNs = JSON.stringify(ranged(0, 1)).replace('"maxAmount":1', '"maxAmount":NaN');
  assert.is(outcomeOf(await application.publish(NaNs)), "400 INVALID_JSON");
  const infinite = JSON.stringify(ranged(0, 1)).replace('"maxAmount":1', '"maxAmount":1e999');
  assert.is(outcomeOf(await application.publish(infinite)), "400 VALIDATION_FAILED");
  const illegal = await application.publish(JSON.stringify(named("x")).replace('"x"', '"\\u0000"'));
  assert.equal(errorsOf(illegal), [
    ["body", "postbacks", 0, "fine", "schema", 0, "events", 0, "eventName", "illegal_text"],
  ]);
});

writing("refuse a field that is there twice", async () => {
  const twice = [["body", "repeated_field"]];
  const model = JSON.stringify(skan4).replace('"conversionValue":5', '"conversionValue":6,"conversionValue":5');
  const mapping = '{"events":{"app_open":"Open","app_open":"Opened"}}';
  assert.equal(errorsOf(await application.publish(model)), twice);
  assert.equal(errorsOf(await application.call("PUT", partnerPath, { token: adminToken, body: mapping })), twice);
});

writing("report broken rules in errors, and a detail that refers to them", async () => {
  const { status, json } = await application.publish(postbacks(0, 0));
  const { code, detail, errors } = json as { code: string; detail: string; errors: readonly unknown[] };
  const loc = ["body", "postbacks", 1, "postbackSequenceIndex"];
  assert.equal(
    [status, code, detail, errors],
    [
      400,
      "CONVERSION_MODEL_NOT_ALLOWED",
      "Some fields are missing or wrong; see errors.",
      [{ loc, msg: "must not be there twice", type: "conversion_model_not_allowed" }],
    ],
  );
});

writing("accept a model of maximum size", async () => {
  const event = (index: number) => revenue(`${"😀".repeat(126)}${index + 10}`, index, 999_999_999.999_999);
  const events = Array.from({ length: 16 }, (_, index) => event(index));
  const coarseSchema = ["low", "medium", "high"].map((conversionValue) => ({ conversionValue, events }));
  const largest: ModelBody = {
    configType: "AAK_1",
    postbacks: [0, 1, 2].map((postbackSequenceIndex) => ({
      postbackSequenceIndex,
      ...(postbackSequenceIndex === 0
        ? { fine: { schema: Array.from({ length: 64 }, (_, conversionValue) => ({ conversionValue, events })) } }
        : {}),
      coarse: { schema: coarseSchema },
    })),
  };
  const answer = await application.publish(largest);
  assert.is(answer.status, 200, answer.text.slice(0, 500));
  assert.is((await application.publish(`${JSON.stringify(largest)}${" ".repeat(600_000)}`)).status, 413);
});

writing("accept mappings up to their limits", async () => {
  const names = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`e${index}`, "x"]));
  const statuses = [];
  for (const count of [499, 500, 501]) statuses.push((await application.map("tiktok", names(count))).status);
  assert.equal(statuses, [200, 200, 400]);
  for (const events of [
    { a: "b".repeat(129) },
    { ["a".repeat(129)]: "b" },
    { a: "" },
    { "": "b" },
    { a: null },
    [],
    null,
  ]) {
    assert.is((await application.map("tiktok", events)).status, 400, JSON.stringify(events));
  }
  assert.is((await application.map("tiktok", { ["a".repeat(128)]: "b".repeat(128), constructor: "c" })).status, 200);
  assert.is((await application.publish({ ...skan4, postbacks: undefined })).status, 400);
});

writing.run();

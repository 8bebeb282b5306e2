import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { modelOf } from "../../../commands/conversion-values/model-schema.ts";
import { type ConversionModelCommand, conversionModel } from "../../../domain/conversion-values/conversion-model.ts";
import type { ConversionModel, ConversionModelEvent } from "../../../domain/conversion-values/events.ts";
import { isRejection, rejectField } from "../../../domain/decider.ts";
import { anyModel, type ModelBody, revenue, signUp, skan3, skan4 } from "../../examples/conversion-values.ts";
import { assertDecidesOnce, specification } from "../../support/specification.ts";

type Body = Parameters<typeof modelOf>[0];
const written = (body: ModelBody): ConversionModel => modelOf(body as Body);

const { given } = specification(conversionModel);
const publish = (body: ModelBody) => ({ kind: "publish", appId: 1, model: written(body) }) as const;
const published = (version: number, body: ModelBody): ConversionModelEvent => ({
  type: "ConversionModelPublished",
  data: { appId: 1, version, model: written(body) },
});
const map = (events: Readonly<Record<string, string>>, channel = "tiktok", isChannelKnown = true) =>
  ({ kind: "map", appId: 1, channel, isChannelKnown, events }) as const;
const mapped = (events: Readonly<Record<string, string>>, channel = "tiktok"): ConversionModelEvent => ({
  type: "PartnerEventsMapped",
  data: { appId: 1, channel, events },
});

const publishing = suite("publishing what conversion values mean");

publishing("numbers the versions of an app", () => {
  given()
    .when(publish(skan4))
    .then([published(1, skan4)]);
  given(published(1, skan4))
    .when(publish(skan3()))
    .then([published(2, skan3())]);
  const before = [published(1, skan4), mapped({}), published(2, skan3())];
  given(...before)
    .when(publish(skan4))
    .then([published(3, skan4)]);
});

publishing("says nothing of what is so already, in whatever order", () => {
  const [first, second] = skan4.postbacks;
  const reversed = {
    ...skan4,
    postbacks: [
      { ...second, coarse: { schema: [...second.coarse.schema].reverse() } },
      { ...first, fine: { ...first.fine, schema: [...first.fine.schema].reverse() } },
    ],
  };
  given(published(1, skan4)).when(publish(reversed)).then([]);
  given()
    .when(publish(reversed))
    .then([published(1, skan4)]);
});

publishing("keeps amounts as exact decimals", () => {
  const decided = conversionModel.decide(
    publish(skan3(revenue("app_order_complete", 0.1, 999_999_999.999_999))),
    conversionModel.initialState,
  );
  const text = JSON.stringify(decided);
  assert.match(text, '"values":{"minAmount":"0.1","maxAmount":"999999999.999999"}');
});

const [zero, one] = skan4.postbacks;
const value = (conversionValue: number | string, ...events: readonly ReturnType<typeof revenue>[]) => ({
  conversionValue,
  events,
});
const fineOnly = (schema: readonly ReturnType<typeof value>[], lockWindow?: object): ModelBody => ({
  configType: "SKAN_4",
  postbacks: [{ postbackSequenceIndex: 0, fine: { schema, ...(lockWindow === undefined ? {} : { lockWindow }) } }],
});
const order = (min: number, max: number) => revenue("app_order_complete", min, max);
const fineSchema = ["postbacks", 0, "fine", "schema"];

const refused: readonly (readonly [
  what: string,
  body: ModelBody,
  path: readonly (string | number)[],
  reason: string,
])[] = [
  [
    "fine values on another postback than 0",
    { configType: "SKAN_4", postbacks: [{ postbackSequenceIndex: 1, fine: { schema: [] } }] },
    ["postbacks", 0, "fine"],
    "fine_postback",
  ],
  [
    "postback 1 with SKAN_3",
    { configType: "SKAN_3", postbacks: [{ postbackSequenceIndex: 1 }] },
    ["postbacks", 0, "postbackSequenceIndex"],
    "skan_3_postback",
  ],
  [
    "coarse values with SKAN_3",
    { configType: "SKAN_3", postbacks: [{ postbackSequenceIndex: 0, coarse: { schema: [] } }] },
    ["postbacks", 0, "coarse"],
    "skan_3_coarse",
  ],
  [
    "a postback twice",
    { configType: "AAK_1", postbacks: [one, zero, one] },
    ["postbacks", 2, "postbackSequenceIndex"],
    "repeated",
  ],
  ["a fine value twice", fineOnly([value(7), value(7)]), [...fineSchema, 1, "conversionValue"], "repeated"],
  [
    "a coarse value twice",
    {
      configType: "SKAN_4",
      postbacks: [{ postbackSequenceIndex: 2, coarse: { schema: [value("low"), value("low")] } }],
    },
    ["postbacks", 0, "coarse", "schema", 1, "conversionValue"],
    "repeated",
  ],
  ["64", fineOnly([value(64)]), [...fineSchema, 0, "conversionValue"], "fine_value"],
  ["-1", fineOnly([value(-1)]), [...fineSchema, 0, "conversionValue"], "fine_value"],
  ["0.5", fineOnly([value(0.5)]), [...fineSchema, 0, "conversionValue"], "fine_value"],
  [
    "an event measured twice in one way",
    fineOnly([value(1, order(0, 1), signUp, order(5, 6))]),
    [...fineSchema, 0, "events", 2, "eventName"],
    "repeated",
  ],
  [
    "an empty range",
    fineOnly([value(1, order(5, 5))]),
    [...fineSchema, 0, "events", 0, "values", "minAmount"],
    "amounts_reversed",
  ],
  [
    "a range that ends before it begins",
    fineOnly([value(1, order(5, 4.999_999))]),
    [...fineSchema, 0, "events", 0, "values", "minAmount"],
    "amounts_reversed",
  ],
  [
    "a negative amount",
    fineOnly([value(1, order(-1, 1))]),
    [...fineSchema, 0, "events", 0, "values", "minAmount"],
    "amount",
  ],
  [
    "7 decimals",
    fineOnly([value(1, order(0, 0.000_000_1))]),
    [...fineSchema, 0, "events", 0, "values", "maxAmount"],
    "amount",
  ],
  [
    "more than a billion",
    fineOnly([value(1, order(0, 1_000_000_000.5))]),
    [...fineSchema, 0, "events", 0, "values", "maxAmount"],
    "amount",
  ],
  [
    "a lock window of an event that the postback does not measure",
    fineOnly([value(1, signUp)], { type: "event", value: "app_open" }),
    ["postbacks", 0, "fine", "lockWindow", "value"],
    "locked_event",
  ],
  [
    "a lock window of a fine value that is not there",
    fineOnly([value(1)], { type: "fine", value: 2 }),
    ["postbacks", 0, "fine", "lockWindow", "value"],
    "locked_fine_value",
  ],
  [
    "a lock window of a fine value as text",
    fineOnly([value(1)], { type: "fine", value: "1" }),
    ["postbacks", 0, "fine", "lockWindow", "value"],
    "locked_fine_value",
  ],
  [
    "a lock window of a coarse value that is not there",
    fineOnly([value(1)], { type: "coarse", value: "low" }),
    ["postbacks", 0, "fine", "lockWindow", "value"],
    "locked_coarse_value",
  ],
];
for (const [what, body, path, reason] of refused) {
  publishing(`refuses ${what}`, () => {
    const decision = conversionModel.decide(publish(body), conversionModel.initialState);
    if (!isRejection(decision)) throw new Error("not rejected");
    assert.is(decision.rejected, "CONVERSION_MODEL_NOT_ALLOWED");
    assert.equal(
      decision.faults?.map((one) => [one.code, one.path]),
      [[`conversion_model_not_allowed.${reason}`, ["body", ...path]]],
    );
  });
}

const allowed: readonly (readonly [what: string, body: ModelBody])[] = [
  ["no values at all", { configType: "AAK_1", postbacks: [{ postbackSequenceIndex: 2 }] }],
  [
    "a postback without fine values whose index is 0",
    { configType: "SKAN_4", postbacks: [{ postbackSequenceIndex: 0 }] },
  ],
  ["0 and 63", fineOnly([value(0), value(63)])],
  ["the whole of the amounts", fineOnly([value(1, order(0, 1_000_000_000))])],
  ["the smallest range", fineOnly([value(1, order(0, 0.000_001))])],
  ["a range of engagement", fineOnly([value(1, { ...order(1, 5), measurementType: "engagement" })])],
  ["a range of retention", fineOnly([value(1, { ...order(1, 5), measurementType: "retention" })])],
  ["revenue without a range", fineOnly([value(1, { eventName: "app_order_complete", measurementType: "revenue" })])],
  [
    "one event measured in two ways",
    fineOnly([value(1, order(0, 1), { ...order(0, 1), measurementType: "engagement" })]),
  ],
  ["a lock window of each kind: event", fineOnly([value(1, signUp)], { type: "event", value: "app_sign_up" })],
  ["a lock window of each kind: fine", fineOnly([value(1)], { type: "fine", value: 1 })],
  [
    "a lock window of each kind: coarse",
    {
      configType: "SKAN_4",
      postbacks: [{ ...zero, fine: { ...zero.fine, lockWindow: { type: "coarse", value: "low" } } }],
    },
  ],
];
for (const [what, body] of allowed) {
  publishing(`takes ${what}`, () => {
    given()
      .when(publish(body))
      .then([published(1, body)]);
  });
}

const mapping = suite("letting a channel read conversion values");

mapping("says by which names it knows the app's events, in place of any before", () => {
  given()
    .when(map({ app_open: "open" }))
    .then([mapped({ app_open: "open" })]);
  const before = [mapped({ app_open: "open" }), mapped({}, "kakao")];
  given(...before)
    .when(map({ app_open: "opened" }))
    .then([mapped({ app_open: "opened" })]);
  given(...before)
    .when(map({}))
    .then([mapped({})]);
  given(...before)
    .when(map({ app_open: "open", b: "c" }, "kakao"))
    .then([mapped({ app_open: "open", b: "c" }, "kakao")]);
});

mapping("says nothing of what is so already", () => {
  given(mapped({ a: "b", c: "d" }))
    .when(map({ c: "d", a: "b" }))
    .then([]);
  given(mapped({})).when(map({})).then([]);
  given(mapped({ a: "b" }))
    .when(map({ constructor: "b" }))
    .then([mapped({ constructor: "b" })]);
});

mapping("refuses channels that nobody knows", () => {
  const rejected = rejectField("CHANNEL_NOT_FOUND", ["path", "channel"]);
  given()
    .when(map({}, "nobody", false))
    .then(rejected);
});

const property = suite("conversion values, whatever came before");

property("are decided twice as once", () => {
  const command: fc.Arbitrary<ConversionModelCommand> = fc.oneof(
    anyModel.map(publish),
    fc.tuple(fc.dictionary(fc.string(), fc.string()), fc.constantFrom("tiktok", "kakao")).map((it) => map(...it)),
  );
  assertDecidesOnce(conversionModel, command);
});

publishing.run();
mapping.run();
property.run();

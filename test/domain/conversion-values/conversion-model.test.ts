import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { modelOf } from "../../../commands/conversion-values/model-schema.ts";
import { type ConversionModelCommand, conversionModel } from "../../../domain/conversion-values/conversion-model.ts";
import type { ConversionModel, ConversionModelEvent } from "../../../domain/conversion-values/events.ts";
import { isRejection, rejectField } from "../../../domain/decider.ts";
import { fault } from "../../../domain/fault.ts";
import { anyModel, type ModelBody, revenue, signUp, skan3, skan4 } from "../../examples/conversion-values.ts";
import { addRules, assertDecidesOnce } from "../../support/decider-specification.ts";

type Body = Parameters<typeof modelOf>[0];
const written = (body: ModelBody): ConversionModel => modelOf(body as Body);

const publish = (body: ModelBody) => ({ type: "PublishConversionModel", appId: 1, model: written(body) }) as const;
const published = (version: number, body: ModelBody): ConversionModelEvent => ({
  type: "ConversionModelPublished",
  data: { appId: 1, version, model: written(body) },
});
const map = (events: Readonly<Record<string, string>>, channel = "tiktok", isChannelKnown = true) =>
  ({ type: "MapPartnerEvents", appId: 1, channel, isChannelKnown, visibleChannels: ["poster"], events }) as const;
const mapped = (events: Readonly<Record<string, string>>, channel = "tiktok"): ConversionModelEvent => ({
  type: "PartnerEventsMapped",
  data: { appId: 1, channel, events },
});

const publishing = suite("publishing a conversion model");

const [first, second] = skan4.postbacks;
const reversed = {
  ...skan4,
  postbacks: [
    { ...second, coarse: { schema: [...second.coarse.schema].reverse() } },
    { ...first, fine: { ...first.fine, schema: [...first.fine.schema].reverse() } },
  ],
};
const twoVersions = [published(1, skan4), mapped({}), published(2, skan3())];

addRules(publishing, conversionModel, [
  ["stores the first version", [], publish(skan4), [published(1, skan4)]],
  ["numbers the versions", [published(1, skan4)], publish(skan3()), [published(2, skan3())]],
  ["stores an earlier model as a new version", twoVersions, publish(skan4), [published(3, skan4)]],
  ["ignores the order of values", [published(1, skan4)], publish(reversed), []],
  ["stores values in order", [], publish(reversed), [published(1, skan4)]],
]);

publishing("keeps amounts as exact decimals", () => {
  const decided = conversionModel.decide(
    publish(skan3(revenue("app_order_complete", 0.1, 999_999_999.999_999))),
    conversionModel.initialState,
  );
  const text = JSON.stringify(decided);
  assert.match(text, '"values":{"minAmount":"0.1","maxAmount":"999999999.999999"}');
});

const value = (conversionValue: number | string, ...events: readonly ReturnType<typeof revenue>[]) => ({
  conversionValue,
  events,
});
const order = (min: number, max: number) => revenue("app_order_complete", min, max);
/** A model of one postback. */
const postback = (postbackSequenceIndex: number, more: object, configType = "SKAN_4"): ModelBody => ({
  configType,
  postbacks: [{ ...more, postbackSequenceIndex }],
});
const fineOnly = (schema: readonly ReturnType<typeof value>[], more: object = {}): ModelBody =>
  postback(0, { fine: { schema, ...more } });
/** A lock window beside the fine value 1 with some events. */
const locked = (type: string, lockedBy: unknown, ...events: readonly ReturnType<typeof revenue>[]): ModelBody =>
  fineOnly([value(1, ...events)], { lockWindow: { type, value: lockedBy } });
const orderTwice = value(1, order(0, 1), signUp, order(5, 6));
const coarseLock = { type: "coarse", value: "low" };

/** @param faults each with its path below `body.postbacks`, the parts joined by dots, and its reason */
function assertRefused(body: ModelBody, ...faults: readonly (readonly [path: string, reason: string])[]): void {
  const decision = conversionModel.decide(publish(body), conversionModel.initialState);
  if (!isRejection(decision)) throw new Error("not rejected");
  assert.is(decision.rejected, "CONVERSION_MODEL_NOT_ALLOWED");
  assert.equal(
    decision.faults?.map(({ code, path }) => [code, path.join(".")]),
    faults.map(([path, reason]) => [`conversion_model_not_allowed.${reason}`, `body.postbacks.${path}`]),
  );
}

const repeatedLow = { schema: [value("low"), value("low")] };
const amounts = "fine.schema.0.events.0.values";

for (const [what, body, path, reason] of [
  ["fine values on another postback than 0", postback(1, { fine: { schema: [] } }), "fine", "fine_postback"],
  ["postback 1 with SKAN_3", postback(1, {}, "SKAN_3"), "postbackSequenceIndex", "skan_3_postback"],
  ["coarse values with SKAN_3", postback(0, { coarse: { schema: [] } }, "SKAN_3"), "coarse", "skan_3_coarse"],
  ["a fine value twice", fineOnly([value(7), value(7)]), "fine.schema.1.conversionValue", "repeated"],
  ["a coarse value twice", postback(2, { coarse: repeatedLow }), "coarse.schema.1.conversionValue", "repeated"],
  ["64", fineOnly([value(64)]), "fine.schema.0.conversionValue", "fine_value"],
  ["-1", fineOnly([value(-1)]), "fine.schema.0.conversionValue", "fine_value"],
  ["0.5", fineOnly([value(0.5)]), "fine.schema.0.conversionValue", "fine_value"],
  ["an event measured twice in one way", fineOnly([orderTwice]), "fine.schema.0.events.2.eventName", "repeated"],
  ["an empty range", fineOnly([value(1, order(5, 5))]), `${amounts}.minAmount`, "amounts_reversed"],
  ["a reversed range", fineOnly([value(1, order(5, 4.999_999))]), `${amounts}.minAmount`, "amounts_reversed"],
  ["a negative amount", fineOnly([value(1, order(-1, 1))]), `${amounts}.minAmount`, "amount"],
  ["7 decimals", fineOnly([value(1, order(0, 0.000_000_1))]), `${amounts}.maxAmount`, "amount"],
  ["more than a billion", fineOnly([value(1, order(0, 1_000_000_000.5))]), `${amounts}.maxAmount`, "amount"],
  ["a lock on an unmeasured event", locked("event", "app_open", signUp), "fine.lockWindow.value", "locked_event"],
  ["a lock on an absent fine value", locked("fine", 2), "fine.lockWindow.value", "locked_fine_value"],
  ["a lock on a fine value as text", locked("fine", "1"), "fine.lockWindow.value", "locked_fine_value"],
  ["a lock on an absent coarse value", locked("coarse", "low"), "fine.lockWindow.value", "locked_coarse_value"],
] as const) {
  publishing(`rejects ${what}`, () => assertRefused(body, [`0.${path}`, reason]));
}

publishing("rejects a postback twice", () => {
  assertRefused({ configType: "AAK_1", postbacks: [second, first, second] }, ["2.postbackSequenceIndex", "repeated"]);
});

publishing("rejects all broken rules at once", () => {
  const schema = [value(7, order(5, 5)), value(7, order(-1, 0.000_000_1)), value(8)];
  const fine = { schema, lockWindow: { type: "event", value: "app_open" } };
  const body = { configType: "SKAN_3", postbacks: [{ postbackSequenceIndex: 0, fine, coarse: repeatedLow }, second] };
  assertRefused(
    body,
    ["0.coarse", "skan_3_coarse"],
    ["0.fine.schema.0.events.0.values.minAmount", "amounts_reversed"],
    ["0.fine.schema.1.conversionValue", "repeated"],
    ["0.fine.schema.1.events.0.values.minAmount", "amount"],
    ["0.fine.schema.1.events.0.values.maxAmount", "amount"],
    ["0.fine.lockWindow.value", "locked_event"],
    ["1.postbackSequenceIndex", "skan_3_postback"],
    ["1.coarse", "skan_3_coarse"],
  );
});

const accepted = [
  ["no values at all", postback(2, {}, "AAK_1")],
  ["a postback 0 without fine values", postback(0, {})],
  ["0 and 63", fineOnly([value(0), value(63)])],
  ["the largest range of amounts", fineOnly([value(1, order(0, 1_000_000_000))])],
  ["the smallest range of amounts", fineOnly([value(1, order(0, 0.000_001))])],
  ["a range of engagement", fineOnly([value(1, { ...order(1, 5), measurementType: "engagement" })])],
  ["a range of retention", fineOnly([value(1, { ...order(1, 5), measurementType: "retention" })])],
  ["revenue without a range", fineOnly([value(1, { eventName: "app_order_complete", measurementType: "revenue" })])],
  [
    "one event measured in two ways",
    fineOnly([value(1, order(0, 1), { ...order(0, 1), measurementType: "engagement" })]),
  ],
  ["a lock on an event", locked("event", "app_sign_up", signUp)],
  [
    "a lock on an event of a coarse value",
    postback(0, { ...first, fine: { schema: [], lockWindow: first.fine.lockWindow } }),
  ],
  ["a lock on a fine value", locked("fine", 1)],
  ["a lock on a coarse value", postback(0, { ...first, fine: { ...first.fine, lockWindow: coarseLock } })],
] as const;
addRules(
  publishing,
  conversionModel,
  accepted.map(([what, body]) => [`accepts ${what}`, [], publish(body), [published(1, body)]]),
);

const mapping = suite("mapping events to names of a channel");
const before = [mapped({ app_open: "open" }), mapped({}, "kakao")];
const ofKakao = { app_open: "open", b: "c" };
const notFound = rejectField("CHANNEL_NOT_FOUND", ["path", "channel"]);

addRules(mapping, conversionModel, [
  ["stores them", [], map({ app_open: "open" }), [mapped({ app_open: "open" })]],
  ["replaces them", before, map({ app_open: "opened" }), [mapped({ app_open: "opened" })]],
  ["removes them", before, map({}), [mapped({})]],
  ["is independent of other channels", before, map(ofKakao, "kakao"), [mapped(ofKakao, "kakao")]],
  ["ignores their order", [mapped({ a: "b", c: "d" })], map({ c: "d", a: "b" }), []],
  ["decides nothing for an empty mapping again", [mapped({})], map({}), []],
  ["compares own names only", [mapped({ a: "b" })], map({ constructor: "b" }), [mapped({ constructor: "b" })]],
  ["rejects unknown channels", [], map({}, "nobody", false), notFound],
  [
    "names the channel that was probably meant, of those that the caller may see",
    [],
    map({}, "postr", false),
    {
      rejected: "CHANNEL_NOT_FOUND",
      faults: [fault("channel_not_found.nearest", ["path", "channel"], { nearest: "poster" })],
    },
  ],
]);

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

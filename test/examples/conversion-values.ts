import fc from "fast-check";
import { coarseValues } from "../../domain/conversion-values/meanings.ts";

/** A body of `PUT .../conversion-values`. */
export interface ModelBody {
  readonly configType: string;
  readonly postbacks: readonly {
    readonly postbackSequenceIndex: number;
    readonly fine?: { readonly schema: readonly ValueBody[]; readonly lockWindow?: object | null };
    readonly coarse?: { readonly schema: readonly ValueBody[] };
  }[];
}

interface ValueBody {
  readonly conversionValue: number | string;
  readonly events: readonly EventBody[];
}

interface EventBody {
  readonly eventName: string;
  readonly measurementType: string;
  readonly values?: { readonly minAmount: number; readonly maxAmount: number };
}

/** Revenue of an event in a range. */
export function revenue(eventName: string, minAmount: number, maxAmount: number): EventBody {
  return { eventName, measurementType: "revenue", values: { minAmount, maxAmount } };
}

export const signUp: EventBody = { eventName: "app_sign_up", measurementType: "engagement" };

/** Sign-ups and two ranges of orders that overlap, a lock window, and coarse values on two postbacks. */
export const skan4 = {
  configType: "SKAN_4",
  postbacks: [
    {
      postbackSequenceIndex: 0,
      fine: {
        schema: [
          { conversionValue: 0, events: [] },
          { conversionValue: 5, events: [signUp] },
          { conversionValue: 37, events: [revenue("app_order_complete", 0, 10.5)] },
          { conversionValue: 38, events: [revenue("app_order_complete", 10, 20), signUp] },
          { conversionValue: 63, events: [revenue("app_order_complete", 20, 1_000)] },
        ],
        lockWindow: { type: "event", value: "app_sign_up" },
      },
      coarse: { schema: [{ conversionValue: "low", events: [signUp] }] },
    },
    {
      postbackSequenceIndex: 1,
      coarse: {
        schema: [
          { conversionValue: "low", events: [{ eventName: "app_open", measurementType: "retention" }] },
          { conversionValue: "high", events: [revenue("app_order_complete", 0.01, 0.02)] },
        ],
      },
    },
  ],
} as const satisfies ModelBody;

/** One fine value of one event. */
export function skan3(event: EventBody = signUp): ModelBody {
  return {
    configType: "SKAN_3",
    postbacks: [{ postbackSequenceIndex: 0, fine: { schema: [{ conversionValue: 1, events: [event] }] } }],
  };
}

const eventNames = fc.constantFrom("app_open", "app_order_complete", "앱 주문", "custom:a/b", "constructor");
const amounts = fc.integer({ min: 0, max: 10 ** 15 }).map((millionths) => millionths / 10 ** 6);
const ranges = fc
  .uniqueArray(amounts, { minLength: 2, maxLength: 2 })
  .map(([one = 0, other = 1]) => ({ minAmount: Math.min(one, other), maxAmount: Math.max(one, other) }));
const events = fc.uniqueArray(
  fc.record(
    {
      eventName: eventNames,
      measurementType: fc.constantFrom("engagement", "revenue", "retention"),
      values: ranges,
    },
    { requiredKeys: ["eventName", "measurementType"] },
  ),
  { maxLength: 4, selector: ({ eventName, measurementType }) => `${measurementType} ${eventName}` },
);

function schemaOf<Value>(conversionValue: fc.Arbitrary<Value>, maxLength: number) {
  const options = { maxLength, selector: (value: { readonly conversionValue: Value }) => value.conversionValue };
  return fc.uniqueArray(fc.record({ conversionValue, events }), options);
}

const fine = schemaOf(fc.integer({ min: 0, max: 63 }), 8).chain((schema) => {
  const windows: object[] = schema.map(({ conversionValue }) => ({ type: "fine", value: conversionValue }));
  for (const { eventName } of schema.flatMap((value) => value.events))
    windows.push({ type: "event", value: eventName });
  const lockWindow = windows.length === 0 ? fc.constant(null) : fc.option(fc.constantFrom(...windows));
  return fc.record({ schema: fc.constant(schema), lockWindow }, { requiredKeys: ["schema"] });
});
const coarse = fc.record({ schema: schemaOf(fc.constantFrom(...coarseValues), 3) });

function postbackOf(postbackSequenceIndex: number, hasCoarse: boolean) {
  return fc.record(
    {
      postbackSequenceIndex: fc.constant(postbackSequenceIndex),
      ...(postbackSequenceIndex === 0 ? { fine } : {}),
      ...(hasCoarse ? { coarse } : {}),
    },
    { requiredKeys: ["postbackSequenceIndex"] },
  );
}

/** Any model that may be published, its postbacks and values in any order. */
export const anyModel: fc.Arbitrary<ModelBody> = fc.oneof(
  fc.record({ configType: fc.constant("SKAN_3"), postbacks: fc.tuple(postbackOf(0, false)) }),
  fc.record({
    configType: fc.constantFrom("SKAN_4", "AAK_1"),
    postbacks: fc
      .shuffledSubarray([0, 1, 2], { minLength: 1 })
      .chain((indexes) => fc.tuple(...indexes.map((index) => postbackOf(index, true)))),
  }),
) as fc.Arbitrary<ModelBody>;

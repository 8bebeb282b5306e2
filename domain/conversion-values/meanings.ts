import type { CoarseValue, ConversionModel, LockWindow, MeasuredEvent, ValueMeaning } from "./events.ts";
import { overlappedValues } from "./overlaps.ts";

/** Coarse conversion values, ascending. */
export const coarseValues: readonly CoarseValue[] = ["low", "medium", "high"];

/** The meaning of a conversion value. */
export interface DecodedValue {
  readonly conversionValue: number | CoarseValue;
  /** Null of a coarse value. */
  readonly isOverlapped: boolean | null;
  readonly events: readonly MeasuredEvent[];
}

/** The meaning of a value on a postback; null if the model does not define it. */
export function decodeValue(
  { postbacks }: ConversionModel,
  postbackSequenceIndex: number,
  value: number | CoarseValue,
): DecodedValue | null {
  const postback = postbacks.find((candidate) => candidate.postbackSequenceIndex === postbackSequenceIndex);
  if (typeof value !== "number") {
    const coarse = postback?.coarse?.schema.find(({ conversionValue }) => conversionValue === value);
    return coarse === undefined ? null : { ...coarse, isOverlapped: null };
  }
  const schema = postback?.fine?.schema ?? [];
  const fine = schema.find(({ conversionValue }) => conversionValue === value);
  return fine === undefined ? null : { ...fine, isOverlapped: overlappedValues(schema).has(value) };
}

/** An event in API responses: amounts are numbers. */
export type ShownEvent = Omit<MeasuredEvent, "values"> & {
  readonly values: { readonly minAmount: number; readonly maxAmount: number } | null;
};

export type ShownMeaning = Omit<DecodedValue, "events"> & { readonly events: readonly ShownEvent[] };

/** A model in API responses: as published, with the overlaps of fine values. */
export interface ShownModel {
  readonly configType: string;
  readonly postbacks: readonly {
    readonly postbackSequenceIndex: number;
    readonly fine: { readonly schema: readonly ShownMeaning[]; readonly lockWindow: LockWindow | null } | null;
    readonly coarse: { readonly schema: readonly ShownMeaning[] } | null;
  }[];
}

export function shownModel({ configType, postbacks }: ConversionModel): ShownModel {
  return {
    configType,
    postbacks: postbacks.map(({ postbackSequenceIndex, fine, coarse }) => {
      const overlapped = overlappedValues(fine?.schema ?? []);
      const shownFine = (value: ValueMeaning<number>): ShownMeaning =>
        shownValue({ ...value, isOverlapped: overlapped.has(value.conversionValue) });
      return {
        postbackSequenceIndex,
        fine: fine && { schema: fine.schema.map(shownFine), lockWindow: fine.lockWindow },
        coarse: coarse && { schema: coarse.schema.map((value) => shownValue({ ...value, isOverlapped: null })) },
      };
    }),
  };
}

/** A meaning in API responses. */
export function shownValue({ conversionValue, isOverlapped, events }: DecodedValue): ShownMeaning {
  return {
    conversionValue,
    isOverlapped,
    events: events.map(({ eventName, measurementType, values }) => ({
      eventName,
      measurementType,
      values: values && { minAmount: Number(values.minAmount), maxAmount: Number(values.maxAmount) },
    })),
  };
}

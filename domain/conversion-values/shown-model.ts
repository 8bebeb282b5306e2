import type { ConversionModel, LockWindow, MeasuredEvent, ValueMeaning } from "./events.ts";
import { type DecodedValue, overlappedValues } from "./meanings.ts";

/** An event as the API answers it: amounts are numbers. */
export type ShownEvent = Omit<MeasuredEvent, "values"> & {
  readonly values: { readonly minAmount: number; readonly maxAmount: number } | null;
};

export type ShownMeaning = Omit<DecodedValue, "events"> & { readonly events: readonly ShownEvent[] };

/** A model as the API answers it: as it was published, and which fine values overlap. */
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

/** The meaning of one value as the API answers it. */
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

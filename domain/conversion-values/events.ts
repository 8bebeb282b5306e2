// NOTE storage format
import type { DomainEvent } from "../event.ts";

/** The attribution framework, with its version, that a model is for. */
export type ConfigType = "SKAN_3" | "SKAN_4" | "AAK_1";

export type MeasurementType = "engagement" | "revenue" | "retention";

export type CoarseValue = "low" | "medium" | "high";

/** Exact decimals: `minAmount` is inclusive, `maxAmount` exclusive. */
export interface AmountRange {
  readonly minAmount: string;
  readonly maxAmount: string;
}

/** An event in the meaning of a conversion value. */
export interface MeasuredEvent {
  readonly eventName: string;
  readonly measurementType: MeasurementType;
  /** Null: any amount. */
  readonly values: AmountRange | null;
}

export interface ValueMeaning<Value> {
  readonly conversionValue: Value;
  readonly events: readonly MeasuredEvent[];
}

/** The condition that ends the measurement early. */
export type LockWindow =
  | { readonly type: "event"; readonly value: string }
  | { readonly type: "fine"; readonly value: number }
  | { readonly type: "coarse"; readonly value: string };

export interface Postback {
  /** 0 to 2. */
  readonly postbackSequenceIndex: number;
  /** Values 0 to 63; only on postback 0. */
  readonly fine: { readonly schema: readonly ValueMeaning<number>[]; readonly lockWindow: LockWindow | null } | null;
  readonly coarse: { readonly schema: readonly ValueMeaning<CoarseValue>[] } | null;
}

/** The meaning of an app's conversion values. */
export interface ConversionModel {
  readonly configType: ConfigType;
  /** Ordered by index, their values ascending. */
  readonly postbacks: readonly Postback[];
}

/** The app's conversion values have this meaning from now on (contract/conversion-values.md#models). */
export type ConversionModelPublished = DomainEvent<
  "ConversionModelPublished",
  {
    readonly appId: number;
    /** 1, 2, 3... for each app. */
    readonly version: number;
    readonly model: ConversionModel;
  }
>;

/**
 * A channel may read the app's conversion values, and knows its events by these names
 * (contract/conversion-values.md#models).
 */
export type PartnerEventsMapped = DomainEvent<
  "PartnerEventsMapped",
  {
    readonly appId: number;
    readonly channel: string;
    /** Names that the channel uses, by names of the app's events. */
    readonly events: { readonly [eventName: string]: string };
  }
>;

export type ConversionModelEvent = ConversionModelPublished | PartnerEventsMapped;

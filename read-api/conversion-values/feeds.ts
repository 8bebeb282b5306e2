import type { ConversionModel, MeasuredEvent } from "../../domain/conversion-values/events.ts";
import { overlappedValues } from "../../domain/conversion-values/overlaps.ts";

/** The input of both feeds. */
export interface FeedSource {
  readonly model: ConversionModel;
  /** The channel's names by names of the app's events. */
  readonly partnerEvents: { readonly [eventName: string]: string };
  readonly currency: string;
  /** Of the model or the mapping, whichever is later. */
  readonly changedAt: Date;
}

/**
 * Body of `GET /skadnetwork/v1/conversion-value-schema` (contract/conversion-values.md#feeds). An event without a range
 * has amounts of null.
 */
export function schemaFeed({ model, partnerEvents, currency, changedAt }: FeedSource): object {
  const shown = ({ eventName, measurementType, values }: MeasuredEvent): object => ({
    event_name: eventName,
    measurement_type: measurementType,
    partner_event_name: Object.hasOwn(partnerEvents, eventName) ? partnerEvents[eventName] : null,
    values: {
      min_amount: values === null ? null : Number(values.minAmount),
      max_amount: values === null ? null : Number(values.maxAmount),
    },
  });
  return {
    config_type: model.configType,
    default_currency: currency,
    last_update_time: unixSeconds(changedAt),
    postbacks: model.postbacks.map(({ postbackSequenceIndex, fine, coarse }) => {
      const overlapped = overlappedValues(fine?.schema ?? []);
      return {
        postback_sequence_index: postbackSequenceIndex,
        conversion_schema: {
          fine: {
            schema: (fine?.schema ?? []).map(({ conversionValue, events }) => ({
              conversion_value: String(conversionValue),
              is_overlapped: overlapped.has(conversionValue),
              events: events.map(shown),
            })),
            lock_window: fine?.lockWindow ?? null,
          },
          coarse: {
            schema: (coarse?.schema ?? []).map(({ conversionValue, events }) => ({
              conversion_value: conversionValue,
              is_overlapped: null,
              events: events.map(shown),
            })),
          },
        },
      };
    }),
  };
}

/**
 * Body of `GET /skadnetwork/conversion-bit-config/v4` (contract/conversion-values.md#feeds): the fine values of
 * postback 0, whatever the framework. An event without a range has no `values`.
 */
export function bitConfigFeed({ model, currency, changedAt }: FeedSource): object {
  const fine = model.postbacks.find(({ postbackSequenceIndex }) => postbackSequenceIndex === 0)?.fine?.schema ?? [];
  return {
    default_currency: currency,
    last_update_time: unixSeconds(changedAt),
    conversion_bits_rules: fine.map(({ conversionValue, events }) => ({
      conversion_value: conversionValue,
      events: events.map(({ eventName, values }) => ({
        event_name: eventName,
        ...(values === null
          ? {}
          : { values: { amount: Number(values.minAmount), max_amount: Number(values.maxAmount) } }),
      })),
    })),
  };
}

function unixSeconds(instant: Date): number {
  return Math.floor(instant.getTime() / 1_000);
}

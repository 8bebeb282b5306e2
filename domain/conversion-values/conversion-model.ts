import { type ChannelLookUp, unknownChannel } from "../channels/built-in.ts";
import { assertNever, type Decider, type Rejection } from "../decider.ts";
import { faultsAt } from "../fault.ts";
import type { ConversionModel, ConversionModelEvent, PartnerEventsMapped, Postback, ValueMeaning } from "./events.ts";
import { coarseValues } from "./meanings.ts";
import { modelFaults } from "./model-rules.ts";

type PartnerEvents = PartnerEventsMapped["data"]["events"];

/** Replaces the meaning of the app's conversion values. */
export interface PublishConversionModel {
  readonly type: "PublishConversionModel";
  readonly appId: number;
  readonly model: ConversionModel;
}

/** Lets a channel read them, with its own names of the app's events. */
export interface MapPartnerEvents extends ChannelLookUp {
  readonly type: "MapPartnerEvents";
  readonly appId: number;
  readonly channel: string;
  readonly events: PartnerEvents;
}

export type ConversionModelCommand = PublishConversionModel | MapPartnerEvents;

export interface ConversionModelState {
  readonly published: { readonly version: number; readonly model: ConversionModel } | null;
  /** By channel. */
  readonly partners: ReadonlyMap<string, PartnerEvents>;
}

export type ConversionModelRejection = "CONVERSION_MODEL_NOT_ALLOWED" | "CHANNEL_NOT_FOUND";

type Decision = readonly ConversionModelEvent[] | Rejection<ConversionModelRejection>;

function decide(command: ConversionModelCommand, state: ConversionModelState): Decision {
  switch (command.type) {
    case "PublishConversionModel":
      return publish(command, state);
    case "MapPartnerEvents":
      return mapEvents(command, state);
    default:
      return assertNever(command);
  }
}

function publish({ appId, model }: PublishConversionModel, { published }: ConversionModelState): Decision {
  const faults = modelFaults(model);
  if (faults.length > 0) return { rejected: "CONVERSION_MODEL_NOT_ALLOWED", faults: faultsAt(["body"], faults) };
  const sorted = ordered(model);
  if (published !== null && JSON.stringify(published.model) === JSON.stringify(sorted)) return [];
  const version = (published?.version ?? 0) + 1;
  return [{ type: "ConversionModelPublished", data: { appId, version, model: sorted } }];
}

function mapEvents(
  { appId, channel, isChannelKnown, visibleChannels, events }: MapPartnerEvents,
  state: ConversionModelState,
): Decision {
  if (!isChannelKnown) return unknownChannel(["path", "channel"], channel, visibleChannels);
  const current = state.partners.get(channel);
  if (current !== undefined && isSame(current, events)) return [];
  return [{ type: "PartnerEventsMapped", data: { appId, channel, events } }];
}

function evolve(state: ConversionModelState, event: ConversionModelEvent): ConversionModelState {
  switch (event.type) {
    case "ConversionModelPublished":
      return { ...state, published: { version: event.data.version, model: event.data.model } };
    case "PartnerEventsMapped":
      return { ...state, partners: new Map(state.partners).set(event.data.channel, event.data.events) };
    default:
      return assertNever(event);
  }
}

/** A model in its stored order: postbacks by index, values ascending. */
export function ordered({ configType, postbacks }: ConversionModel): ConversionModel {
  return {
    configType,
    postbacks: [...postbacks]
      .sort((one, other) => one.postbackSequenceIndex - other.postbackSequenceIndex)
      .map(
        ({ postbackSequenceIndex, fine, coarse }): Postback => ({
          postbackSequenceIndex,
          fine: fine && { schema: sortedBy(fine.schema, (value) => value), lockWindow: fine.lockWindow },
          coarse: coarse && { schema: sortedBy(coarse.schema, (value) => coarseValues.indexOf(value)) },
        }),
      ),
  };
}

function sortedBy<Value>(schema: readonly ValueMeaning<Value>[], rankOf: (value: Value) => number) {
  return [...schema].sort((one, other) => rankOf(one.conversionValue) - rankOf(other.conversionValue));
}

function isSame(one: PartnerEvents, other: PartnerEvents): boolean {
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => one[name] === ownValue(other, name));
}

function ownValue(events: PartnerEvents, name: string): string | undefined {
  return Object.hasOwn(events, name) ? events[name] : undefined;
}

/** The conversion model of one app, and the channels that may read it (contract/conversion-values.md#models). */
export const conversionModel: Decider<
  ConversionModelCommand,
  ConversionModelEvent,
  ConversionModelState,
  ConversionModelRejection
> = {
  initialState: { published: null, partners: new Map() },
  decide,
  evolve,
};

import { maxAmount, millionths } from "./amounts.ts";
import type { AmountRange, ConversionModel, LockWindow, MeasuredEvent, Postback, ValueMeaning } from "./events.ts";

/** A broken rule; `path` starts at the model. */
export interface ModelFault {
  readonly path: readonly (string | number)[];
  readonly detail: string;
}

type Rule<Subject> = (subject: Subject) => ModelFault | null;

const amountRule = `must be 0 to ${maxAmount} with at most 6 decimals`;
const repeated = "must not be there twice";

/** The first broken rule of a model (contract/conversion-values.md#models); null if it is valid. */
export function modelFault(model: ConversionModel): ModelFault | null {
  const indexes = model.postbacks.map(({ postbackSequenceIndex }) => postbackSequenceIndex);
  return firstOf(model.postbacks, (postback, index) => {
    const isRepeated = indexes.indexOf(postback.postbackSequenceIndex) !== index;
    const fault = isRepeated
      ? { path: ["postbackSequenceIndex"], detail: repeated }
      : (frameworkFault(model, postback) ?? fineFault(postback) ?? coarseFault(postback));
    return at(["postbacks", index], fault);
  });
}

function frameworkFault(
  { configType }: ConversionModel,
  { postbackSequenceIndex, coarse }: Postback,
): ModelFault | null {
  if (configType !== "SKAN_3") return null;
  if (postbackSequenceIndex !== 0) return { path: ["postbackSequenceIndex"], detail: "must be 0 with SKAN_3" };
  return coarse === null ? null : { path: ["coarse"], detail: "is not part of SKAN_3" };
}

const fineFault: Rule<Postback> = ({ postbackSequenceIndex, fine, coarse }) => {
  if (fine === null) return null;
  if (postbackSequenceIndex !== 0) return { path: ["fine"], detail: "can only be on postback 0" };
  const outOfRange = firstOf(fine.schema, ({ conversionValue }, index) => {
    const isFine = Number.isInteger(conversionValue) && conversionValue >= 0 && conversionValue <= 63;
    return isFine
      ? null
      : { path: ["schema", index, "conversionValue"], detail: "must be a whole number from 0 to 63" };
  });
  const coarseSchema = coarse?.schema ?? [];
  const fault = outOfRange ?? schemaFault(fine.schema) ?? lockWindowFault(fine.lockWindow, fine.schema, coarseSchema);
  return at(["fine"], fault);
};

const coarseFault: Rule<Postback> = ({ coarse }) =>
  coarse === null ? null : at(["coarse"], schemaFault(coarse.schema));

function schemaFault<Value>(schema: readonly ValueMeaning<Value>[]): ModelFault | null {
  const values = schema.map(({ conversionValue }) => conversionValue);
  return firstOf(schema, ({ conversionValue, events }, index) => {
    const isRepeated = values.indexOf(conversionValue) !== index;
    const fault = isRepeated ? { path: ["conversionValue"], detail: repeated } : eventsFault(events);
    return at(["schema", index], fault);
  });
}

/** A value may measure an event once for each measurement type. */
const eventsFault: Rule<readonly MeasuredEvent[]> = (events) => {
  const keys = events.map(({ eventName, measurementType }) => JSON.stringify([eventName, measurementType]));
  return firstOf(events, ({ values }, index) => {
    const isRepeated = keys.indexOf(keys[index] ?? "") !== index;
    const fault = isRepeated ? { path: ["eventName"], detail: repeated } : rangeFault(values);
    return at(["events", index], fault);
  });
};

const rangeFault: Rule<AmountRange | null> = (range) => {
  if (range === null) return null;
  const [min, max] = [millionths(range.minAmount), millionths(range.maxAmount)];
  if (min === null) return { path: ["values", "minAmount"], detail: amountRule };
  if (max === null) return { path: ["values", "maxAmount"], detail: amountRule };
  return min < max ? null : { path: ["values", "minAmount"], detail: "must be less than maxAmount" };
};

/** A lock window on something that the postback does not measure would never lock it. */
function lockWindowFault(
  lockWindow: LockWindow | null,
  fine: readonly ValueMeaning<number>[],
  coarse: readonly ValueMeaning<string>[],
): ModelFault | null {
  if (lockWindow === null) return null;
  const { type, value } = lockWindow;
  const path = ["lockWindow", "value"];
  const isOneOf = (schema: readonly ValueMeaning<number | string>[]): boolean =>
    schema.some(({ conversionValue }) => conversionValue === value);
  if (type === "fine") return isOneOf(fine) ? null : { path, detail: "must be a fine value of this postback" };
  if (type === "coarse") return isOneOf(coarse) ? null : { path, detail: "must be a coarse value of this postback" };
  const isMeasured = [...fine, ...coarse].some(({ events }) => events.some(({ eventName }) => eventName === value));
  return isMeasured ? null : { path, detail: "must be an event of this postback" };
}

function firstOf<Item>(items: readonly Item[], faultOf: (item: Item, index: number) => ModelFault | null) {
  for (const [index, item] of items.entries()) {
    const fault = faultOf(item, index);
    if (fault !== null) return fault;
  }
  return null;
}

function at(place: readonly (string | number)[], fault: ModelFault | null): ModelFault | null {
  return fault === null ? null : { ...fault, path: [...place, ...fault.path] };
}

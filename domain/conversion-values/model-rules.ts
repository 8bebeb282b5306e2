import { type Fault, fault, type MessageParams, type Path } from "../fault.ts";
import { maxAmount, millionths } from "./amounts.ts";
import type { AmountRange, ConversionModel, LockWindow, MeasuredEvent, Postback, ValueMeaning } from "./events.ts";

/** The first fault of a part of a model; its path starts at that part. */
type Rule<Subject> = (subject: Subject) => Fault | null;

type Reason =
  | "amount"
  | "amounts_reversed"
  | "fine_postback"
  | "fine_value"
  | "locked_coarse_value"
  | "locked_event"
  | "locked_fine_value"
  | "repeated"
  | "skan_3_coarse"
  | "skan_3_postback";

const modelFaultOf = (reason: Reason, path: Path, params?: MessageParams): Fault =>
  fault(`conversion_model_not_allowed.${reason}`, path, params);
const amountFault = (path: Path): Fault => modelFaultOf("amount", path, { limit: maxAmount });

/** The first broken rule of a model (contract/conversion-values.md#models); null if it is valid. */
export function modelFault(model: ConversionModel): Fault | null {
  const indexes = model.postbacks.map(({ postbackSequenceIndex }) => postbackSequenceIndex);
  return firstOf(model.postbacks, (postback, index) => {
    const isRepeated = indexes.indexOf(postback.postbackSequenceIndex) !== index;
    const found = isRepeated
      ? modelFaultOf("repeated", ["postbackSequenceIndex"])
      : (frameworkFault(model, postback) ?? fineFault(postback) ?? coarseFault(postback));
    return at(["postbacks", index], found);
  });
}

function frameworkFault({ configType }: ConversionModel, { postbackSequenceIndex, coarse }: Postback): Fault | null {
  if (configType !== "SKAN_3") return null;
  if (postbackSequenceIndex !== 0) return modelFaultOf("skan_3_postback", ["postbackSequenceIndex"]);
  return coarse === null ? null : modelFaultOf("skan_3_coarse", ["coarse"]);
}

const fineFault: Rule<Postback> = ({ postbackSequenceIndex, fine, coarse }) => {
  if (fine === null) return null;
  if (postbackSequenceIndex !== 0) return modelFaultOf("fine_postback", ["fine"]);
  const outOfRange = firstOf(fine.schema, ({ conversionValue }, index) => {
    const isFine = Number.isInteger(conversionValue) && conversionValue >= 0 && conversionValue <= 63;
    return isFine ? null : modelFaultOf("fine_value", ["schema", index, "conversionValue"]);
  });
  const coarseSchema = coarse?.schema ?? [];
  const found = outOfRange ?? schemaFault(fine.schema) ?? lockWindowFault(fine.lockWindow, fine.schema, coarseSchema);
  return at(["fine"], found);
};

const coarseFault: Rule<Postback> = ({ coarse }) =>
  coarse === null ? null : at(["coarse"], schemaFault(coarse.schema));

function schemaFault<Value>(schema: readonly ValueMeaning<Value>[]): Fault | null {
  const values = schema.map(({ conversionValue }) => conversionValue);
  return firstOf(schema, ({ conversionValue, events }, index) => {
    const isRepeated = values.indexOf(conversionValue) !== index;
    const found = isRepeated ? modelFaultOf("repeated", ["conversionValue"]) : eventsFault(events);
    return at(["schema", index], found);
  });
}

/** A value may measure an event once for each measurement type. */
const eventsFault: Rule<readonly MeasuredEvent[]> = (events) => {
  const keys = events.map(({ eventName, measurementType }) => JSON.stringify([eventName, measurementType]));
  return firstOf(events, ({ values }, index) => {
    const isRepeated = keys.indexOf(keys[index] ?? "") !== index;
    const found = isRepeated ? modelFaultOf("repeated", ["eventName"]) : rangeFault(values);
    return at(["events", index], found);
  });
};

const rangeFault: Rule<AmountRange | null> = (range) => {
  if (range === null) return null;
  const [min, max] = [millionths(range.minAmount), millionths(range.maxAmount)];
  if (min === null) return amountFault(["values", "minAmount"]);
  if (max === null) return amountFault(["values", "maxAmount"]);
  return min < max ? null : modelFaultOf("amounts_reversed", ["values", "minAmount"]);
};

/** A lock window on an event that the postback does not measure would never lock it. */
function lockWindowFault(
  lockWindow: LockWindow | null,
  fine: readonly ValueMeaning<number>[],
  coarse: readonly ValueMeaning<string>[],
): Fault | null {
  if (lockWindow === null) return null;
  const { type, value } = lockWindow;
  const path = ["lockWindow", "value"];
  const isOneOf = (schema: readonly ValueMeaning<number | string>[]): boolean =>
    schema.some(({ conversionValue }) => conversionValue === value);
  if (type === "fine") return isOneOf(fine) ? null : modelFaultOf("locked_fine_value", path);
  if (type === "coarse") return isOneOf(coarse) ? null : modelFaultOf("locked_coarse_value", path);
  const isMeasured = [...fine, ...coarse].some(({ events }) => events.some(({ eventName }) => eventName === value));
  return isMeasured ? null : modelFaultOf("locked_event", path);
}

function firstOf<Item>(items: readonly Item[], faultOf: (item: Item, index: number) => Fault | null) {
  for (const [index, item] of items.entries()) {
    const found = faultOf(item, index);
    if (found !== null) return found;
  }
  return null;
}

function at(place: Path, found: Fault | null): Fault | null {
  return found === null ? null : { ...found, path: [...place, ...found.path] };
}

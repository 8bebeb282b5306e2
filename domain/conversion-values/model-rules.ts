import { type Fault, fault, faultsAt, type MessageParams, type Path } from "../fault.ts";
import { maxAmount, millionths } from "./amounts.ts";
import type { AmountRange, ConversionModel, LockWindow, MeasuredEvent, Postback, ValueMeaning } from "./events.ts";

/** The faults of a part of a model; their paths start at that part. */
type Rule<Subject> = (subject: Subject) => readonly Fault[];

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

/** The broken rules of a model (contract/conversion-values.md#models); none if it is valid. */
export function modelFaults(model: ConversionModel): readonly Fault[] {
  const indexes = model.postbacks.map(({ postbackSequenceIndex }) => postbackSequenceIndex);
  return model.postbacks.flatMap((postback, index) => {
    const isRepeated = indexes.indexOf(postback.postbackSequenceIndex) !== index;
    const found = isRepeated
      ? notAllowed("repeated", ["postbackSequenceIndex"])
      : [...frameworkFaults(model, postback), ...fineFaults(postback), ...coarseFaults(model, postback)];
    return faultsAt(["postbacks", index], found);
  });
}

function frameworkFaults({ configType }: ConversionModel, { postbackSequenceIndex, coarse }: Postback) {
  if (configType !== "SKAN_3") return [];
  return [
    ...(postbackSequenceIndex === 0 ? [] : notAllowed("skan_3_postback", ["postbackSequenceIndex"])),
    ...(coarse === null ? [] : notAllowed("skan_3_coarse", ["coarse"])),
  ];
}

const fineFaults: Rule<Postback> = ({ postbackSequenceIndex, fine, coarse }) => {
  if (fine === null) return [];
  if (postbackSequenceIndex !== 0) return notAllowed("fine_postback", ["fine"]);
  const isFine = (value: number): boolean => Number.isInteger(value) && value >= 0 && value <= 63;
  const outOfRange = fine.schema.flatMap(({ conversionValue }, index) =>
    isFine(conversionValue) ? [] : notAllowed("fine_value", ["schema", index, "conversionValue"]),
  );
  const lockWindow = lockWindowFaults(fine.lockWindow, fine.schema, coarse?.schema ?? []);
  return faultsAt(["fine"], [...outOfRange, ...schemaFaults(fine.schema), ...lockWindow]);
};

function coarseFaults({ configType }: ConversionModel, { coarse }: Postback): readonly Fault[] {
  return coarse === null || configType === "SKAN_3" ? [] : faultsAt(["coarse"], schemaFaults(coarse.schema));
}

function schemaFaults<Value>(schema: readonly ValueMeaning<Value>[]): readonly Fault[] {
  const values = schema.map(({ conversionValue }) => conversionValue);
  return schema.flatMap(({ conversionValue, events }, index) => {
    const isRepeated = values.indexOf(conversionValue) !== index;
    const repeated = isRepeated ? notAllowed("repeated", ["conversionValue"]) : [];
    return faultsAt(["schema", index], [...repeated, ...eventsFaults(events)]);
  });
}

/** A value may measure an event once for each measurement type. */
const eventsFaults: Rule<readonly MeasuredEvent[]> = (events) => {
  const keys = events.map(({ eventName, measurementType }) => JSON.stringify([eventName, measurementType]));
  return events.flatMap(({ values }, index) => {
    const isRepeated = keys.indexOf(keys[index] ?? "") !== index;
    const repeated = isRepeated ? notAllowed("repeated", ["eventName"]) : [];
    return faultsAt(["events", index], [...repeated, ...rangeFaults(values)]);
  });
};

const rangeFaults: Rule<AmountRange | null> = (range) => {
  if (range === null) return [];
  const [min, max] = [millionths(range.minAmount), millionths(range.maxAmount)];
  if (min !== null && max !== null) return min < max ? [] : notAllowed("amounts_reversed", ["values", "minAmount"]);
  const limit = { limit: maxAmount };
  return [
    ...(min === null ? notAllowed("amount", ["values", "minAmount"], limit) : []),
    ...(max === null ? notAllowed("amount", ["values", "maxAmount"], limit) : []),
  ];
};

/** A lock window on an event that the postback does not measure would never lock it. */
function lockWindowFaults(
  lockWindow: LockWindow | null,
  fine: readonly ValueMeaning<number>[],
  coarse: readonly ValueMeaning<string>[],
): readonly Fault[] {
  if (lockWindow === null) return [];
  const { type, value } = lockWindow;
  const path = ["lockWindow", "value"];
  const isOneOf = (schema: readonly ValueMeaning<number | string>[]): boolean =>
    schema.some(({ conversionValue }) => conversionValue === value);
  if (type === "fine") return isOneOf(fine) ? [] : notAllowed("locked_fine_value", path);
  if (type === "coarse") return isOneOf(coarse) ? [] : notAllowed("locked_coarse_value", path);
  const isMeasured = [...fine, ...coarse].some(({ events }) => events.some(({ eventName }) => eventName === value));
  return isMeasured ? [] : notAllowed("locked_event", path);
}

/** A broken rule as the faults of its part. */
function notAllowed(reason: Reason, path: Path, params?: MessageParams): readonly Fault[] {
  return [fault(`conversion_model_not_allowed.${reason}`, path, params)];
}

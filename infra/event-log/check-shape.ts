import { Ajv, type ValidateFunction } from "ajv";
import type { EventType } from "../../domain/event-catalogue.ts";
import shapes from "./event-shapes.json" with { type: "json" };

const ajv = new Ajv({ allowUnionTypes: true });
const validators = new Map<EventType, ValidateFunction>();

/**
 * Checks that data have the shape of their type in the event catalogue; fields that it does not know may be there. The
 * shapes are generated from the types (`npm run event-shapes`).
 * @throws {TypeError} naming the first field that does not
 */
export function checkShape(type: Exclude<EventType, "FileChunk">, data: unknown): void {
  const validate = validators.get(type) ?? ajv.compile({ ...shapes[type], definitions: shapes.definitions });
  validators.set(type, validate);
  if (validate(data)) return;
  const [fault] = validate.errors ?? [];
  throw new TypeError(
    `the data of ${type} do not match its shape: data${fault?.instancePath ?? ""} ${fault?.message ?? ""}`,
  );
}

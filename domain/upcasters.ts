/** Converts the data of one version of an event type to the next version. */
export type Upcaster = (data: unknown) => unknown;

/** How events of one type are stored. */
export interface StoredType {
  /** The `schemaVersion` that new events get. */
  readonly version: number;
  /** The upcaster at index 0 turns version 1 into version 2. */
  readonly upcasters: readonly Upcaster[];
}

/** A type whose data have changed once for each of its upcasters. */
export function storedType(...upcasters: readonly Upcaster[]): StoredType {
  return { version: upcasters.length + 1, upcasters };
}

/** Data in the current version of their type. Data of a newer version are returned as they are. */
export function upcast({ version, upcasters }: StoredType, data: unknown, schemaVersion: number): unknown {
  if (schemaVersion >= version) return data;
  return upcasters.slice(schemaVersion - 1).reduce((older, upcaster) => upcaster(older), data);
}

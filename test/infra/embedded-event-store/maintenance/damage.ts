import { open } from "lmdb";

/** Changes the stored bytes of events, as damage would; null removes the event. */
export async function changeEvents(
  path: string,
  bytesOf: (position: number, stored: Buffer) => Buffer | null,
): Promise<void> {
  const root = open<unknown, string>({ path, noSubdir: false, maxDbs: 4, encoding: "json" });
  const stored = root.openDB<Buffer, number>({ name: "events", encoding: "binary" });
  for (const { key, value } of [...stored.getRange()]) {
    const changed = bytesOf(key, value);
    if (changed === null) await stored.remove(key);
    else if (changed !== value) await stored.put(key, changed);
  }
  await root.close();
}

/** The bytes with one changed bit. */
export function flipped(bytes: Buffer, at: number): Buffer {
  const changed = Buffer.from(bytes);
  changed[at] = (changed[at] ?? 0) ^ 1;
  return changed;
}

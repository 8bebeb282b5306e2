import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Knex } from "knex";
import type { RecordedEvent } from "../../../domain/event-catalogue.ts";
import { projections } from "../../../infra/composition/read-models.ts";
import { decodeContent, type StoredContent } from "../../../infra/event-log/codec.ts";
import { createEngineTables } from "../../../projections/engine/engine-tables.ts";
import { openReplay } from "../../../projections/engine/generations/replay.ts";
import { hashTables, type TableHash } from "../../../projections/engine/maintenance/table-hash.ts";
import { root } from "../../support/paths.ts";

export const eventsFile = join(root, "test/golden/log/events.jsonl");
export const hashesFile = join(root, "test/golden/log/hashes.json");

/** An event of the recorded log, a line of the file. */
export interface StoredLine {
  readonly stream: string;
  readonly revision: string;
  readonly position: string;
  readonly recordedAt: string;
  readonly id: string;
  readonly type: string;
  /** JSON; the bytes of a part of a file in base64. */
  readonly data: unknown;
  readonly metadata: unknown;
}

/** The recorded log, as the adapter decodes it. */
export function recordedEvents(): readonly RecordedEvent[] {
  return storedEvents().map(decodeContent);
}

/** The recorded log, as its store has it. */
export function storedEvents(): readonly StoredContent[] {
  const lines = readFileSync(eventsFile, "utf8").trimEnd().split("\n");
  return lines.map((line) => {
    const { data, metadata, ...stored } = JSON.parse(line) as StoredLine;
    const isJson = stored.type !== "FileChunk";
    const position = BigInt(stored.position);
    return {
      ...stored,
      revision: BigInt(stored.revision),
      position: { commit: position, prepare: position },
      recordedAt: new Date(stored.recordedAt),
      isJson,
      data: isJson ? Buffer.from(JSON.stringify(data)) : Buffer.from(String(data), "base64"),
      metadata: Buffer.from(JSON.stringify(metadata)),
    };
  });
}

/** Rows and hash of each table of all read models after a replay of the events. */
export async function hashesOf(
  db: Knex,
  events: readonly RecordedEvent[],
): Promise<Readonly<Record<string, TableHash>>> {
  await createEngineTables(db);
  const log = { subscribe: () => ({ close: () => undefined, [Symbol.asyncIterator]: () => batchesOf(events) }) };
  const replay = await openReplay(db, log, projections, () => undefined);
  await replay.advanceTo(events.at(-1)?.position ?? null);
  const hashes: Record<string, TableHash> = {};
  for (const [{ name, tables }, schema] of replay.schemas) {
    for (const [table, [hash]] of await hashTables(db, [schema], tables)) {
      if (hash !== undefined) hashes[`${name}.${table}`] = hash;
    }
  }
  replay.close();
  return hashes;
}

async function* batchesOf(events: readonly RecordedEvent[]): AsyncGenerator<readonly RecordedEvent[]> {
  for (let first = 0; first < events.length; first += 100) yield events.slice(first, first + 100);
}

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

/** What a replay of the recorded log makes. */
export interface ReplayedModels {
  /** By projection. */
  readonly versions: { readonly [projection: string]: number };
  /** Rows and hash of each table, by projection and name. */
  readonly tables: { readonly [table: string]: TableHash };
}

/** The read models as they were recorded. */
export function recordedModels(): ReplayedModels {
  return JSON.parse(readFileSync(hashesFile, "utf8"));
}

/**
 * The projections whose tables have changed although their versions have not: an installation would keep the former
 * tables, which the new code cannot use.
 */
export function withoutNewVersion(recorded: ReplayedModels, replayed: ReplayedModels): readonly string[] {
  const tables = new Set([...Object.keys(recorded.tables), ...Object.keys(replayed.tables)]);
  const changed = [...tables].filter((table) => replayed.tables[table]?.hash !== recorded.tables[table]?.hash);
  const names = new Set(changed.map((table) => table.slice(0, table.indexOf("."))));
  return [...names].filter((name) => replayed.versions[name] === recorded.versions[name]);
}

/** The read models after a replay of the events. */
export async function replayedModels(db: Knex, events: readonly RecordedEvent[]): Promise<ReplayedModels> {
  await createEngineTables(db);
  const log = { subscribe: () => ({ close: () => undefined, [Symbol.asyncIterator]: () => batchesOf(events) }) };
  const replay = await openReplay(db, log, projections, () => undefined);
  await replay.advanceTo(events.at(-1)?.position ?? null);
  const found: Record<string, TableHash> = {};
  for (const [{ name, tables }, schema] of replay.schemas) {
    for (const [table, [hash]] of await hashTables(db, [schema], tables)) {
      if (hash !== undefined) found[`${name}.${table}`] = hash;
    }
  }
  replay.close();
  return { versions: Object.fromEntries(projections.map(({ name, version }) => [name, version])), tables: found };
}

async function* batchesOf(events: readonly RecordedEvent[]): AsyncGenerator<readonly RecordedEvent[]> {
  for (let first = 0; first < events.length; first += 100) yield events.slice(first, first + 100);
}

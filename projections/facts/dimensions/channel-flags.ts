import { builtInChannel, builtInChannels } from "../../../domain/channels/built-in.ts";
import type { ChannelEvent } from "../../../domain/channels/events.ts";
import type { RecordedEvent } from "../../../domain/event-catalogue.ts";
import { itemsByKey } from "../../../domain/items-by-key.ts";
import type { ReadModel, SchemaName } from "../../projection.ts";
import type { StatementPipeline } from "../sql/statement-pipeline.ts";
import { supersedeRows } from "../sql/supersede-rows.ts";
import type { Columns } from "../sql/unnest.ts";

const columns: Columns<RecordedEvent<ChannelEvent>> = {
  channel: { type: "text", of: ({ data }) => data.name },
  from_position: { type: "bigint", of: ({ position }) => position.commit },
  self_attributing: { type: "boolean", of: ({ data }) => data.selfAttributing },
};

/** Stores whether channels are self-attributing (contract/administration.md#channels, contract/reports.md#masking). */
export async function storeChannelFlags(
  pipeline: StatementPipeline,
  events: readonly RecordedEvent<ChannelEvent>[],
): Promise<void> {
  await supersedeRows(pipeline, "channel_flags", "channel", events, columns);
}

interface FlagRow {
  readonly channel: string;
  readonly from_position: bigint;
  readonly to_position: bigint;
  readonly self_attributing: boolean;
}

/**
 * For the `with` of a statement: `self_attributing`, the channels that are self-attributing at a log position
 * (contract/administration.md#channels).
 * @param position in SQL
 */
export function selfAttributingTables(schema: SchemaName, position: string): readonly string[] {
  const builtIn = builtInChannels.filter(({ selfAttributing }) => selfAttributing).map(({ name }) => `'${name}'`);
  return [
    `flag as (
      select channel, self_attributing from ${schema}.channel_flags
      where from_position <= ${position} and to_position > ${position}
    )`,
    `self_attributing as materialized (
      select channel from flag where self_attributing
      union all
      (select unnest(array[${builtIn.join(", ")}]::text[]) except select channel from flag)
    )`,
  ];
}

/**
 * Returns a predicate of whether one of `channels` was self-attributing at a log position
 * (contract/administration.md#channels).
 */
export async function selfAttributingAt(
  model: ReadModel,
  channels: ReadonlySet<string>,
): Promise<(channel: string, position: bigint) => boolean> {
  const rows = channels.size === 0 ? [] : await flagsOf(model, channels);
  const flags = itemsByKey(rows, ({ channel }) => channel);
  return (channel, position) => {
    const inForceThen = flags
      .get(channel)
      ?.find(({ from_position, to_position }) => from_position <= position && position < to_position);
    return inForceThen?.self_attributing ?? builtInChannel(channel)?.selfAttributing ?? false;
  };
}

async function flagsOf({ db, schema }: ReadModel, channels: ReadonlySet<string>): Promise<readonly FlagRow[]> {
  const { rows }: { rows: readonly FlagRow[] } = await db.raw(
    `select *
     from ${schema}.channel_flags
     where channel = any(?::text[])`,
    [[...channels]],
  );
  return rows;
}

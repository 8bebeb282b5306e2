import { builtInChannel } from "../../../domain/channels/built-in.ts";
import type { ChannelEvent } from "../../../domain/channels/events.ts";
import type { RecordedEvent } from "../../../domain/event-catalogue.ts";
import type { ReadModel } from "../../projection.ts";
import type { StatementPipeline } from "../sql/statement-pipeline.ts";
import { type Columns, unnest } from "../sql/unnest.ts";
import { inForce } from "../table.ts";

const columns: Columns<RecordedEvent<ChannelEvent>> = {
  channel: { type: "text", of: ({ data }) => data.name },
  from_position: { type: "bigint", of: ({ position }) => position.commit },
  self_attributing: { type: "boolean", of: ({ data }) => data.selfAttributing },
};

/**
 * Puts what channels are said to be in force from the positions of their events on
 * (contract/administration.md#channels, contract/reports.md#masking).
 */
export async function storeChannelFlags(
  { schema, run }: StatementPipeline,
  events: readonly RecordedEvent<ChannelEvent>[],
): Promise<void> {
  if (events.length === 0) return;
  const { text, names, values } = unnest(events, columns, "said");
  await Promise.all([
    run(`insert into ${schema}.channel_flags (${names}) select ${names} from ${text} on conflict do nothing`, values),
    // Of what is in force or has just been said, each ends where the next begins.
    run(
      `update ${schema}.channel_flags as stored
       set to_position = next.from_position
       from (
         select channel, from_position as replaced, lead(from_position) over (partition by channel order by from_position)
           as from_position
         from ${schema}.channel_flags
         where to_position = ${inForce} and channel in (select channel from ${text})
       ) as next
       where stored.channel = next.channel
         and stored.from_position = next.replaced
         and next.from_position is not null`,
      values,
    ),
  ]);
}

interface FlagRow {
  readonly channel: string;
  readonly from_position: bigint | string;
  readonly to_position: bigint | string;
  readonly self_attributing: boolean;
}

/**
 * Tells of some channels, and no others, whether each was self-attributing at a log position
 * (contract/administration.md#channels).
 */
export async function selfAttributingAt(
  { db, schema }: ReadModel,
  channels: ReadonlySet<string>,
): Promise<(channel: string, position: bigint) => boolean> {
  const flags = new Map<string, FlagRow[]>();
  if (channels.size > 0) {
    const { rows }: { rows: readonly FlagRow[] } = await db.raw(
      `select * from ${schema}.channel_flags where channel = any(?::text[])`,
      [[...channels]],
    );
    for (const row of rows) flags.set(row.channel, [...(flags.get(row.channel) ?? []), row]);
  }
  return (channel, position) => {
    const inForceThen = flags
      .get(channel)
      ?.find(({ from_position, to_position }) => BigInt(from_position) <= position && position < BigInt(to_position));
    return inForceThen?.self_attributing ?? builtInChannel(channel)?.selfAttributing ?? false;
  };
}

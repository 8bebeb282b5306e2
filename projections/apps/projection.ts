import type { AppRegistryEvent } from "../../domain/apps/events.ts";
import type { ChannelEvent } from "../../domain/channels/events.ts";
import type { RecordedEvent } from "../../domain/event.ts";
import type { TokenEvent } from "../../domain/tokens/events.ts";
import type { Projection } from "../projection.ts";
import { insertApps, insertTokens, revokeTokens, upsertChannels } from "./rows.ts";
import { createAppsTables } from "./table.ts";

type Handled = AppRegistryEvent | TokenEvent | ChannelEvent;
type Of<Type extends Handled["type"]> = Extract<RecordedEvent<Handled>, { readonly type: Type }>;

/**
 * What is administered: apps, tokens, channels (contract/administration.md).
 */
export const appsProjection: Projection = {
  name: "apps",
  version: 1,
  group: "control",
  handles: [
    "AppRegistered",
    "TokenIssued",
    "TokenRevoked",
    "ChannelRegistered",
    "ChannelChanged",
  ] satisfies Handled["type"][],
  parkBy: "stream",
  tables: { apps: ["app_id"], tokens: ["app_id", "token_id"], channels: ["name"] },
  createTables: createAppsTables,
  async apply(trx, schema, batch) {
    const events = batch as unknown as readonly RecordedEvent<Handled>[];
    await insertApps(trx, schema, eventsOf(events, "AppRegistered"));
    // A token is revoked after it was issued, so that each can be applied to the whole batch at once.
    await insertTokens(trx, schema, eventsOf(events, "TokenIssued"));
    await revokeTokens(trx, schema, eventsOf(events, "TokenRevoked"));
    await upsertChannels(trx, schema, events.filter(isChannelEvent));
  },
};

function eventsOf<Type extends Handled["type"]>(
  events: readonly RecordedEvent<Handled>[],
  type: Type,
): readonly Of<Type>[] {
  return events.filter((event): event is Of<Type> => event.type === type);
}

function isChannelEvent(event: RecordedEvent<Handled>): event is Of<"ChannelRegistered" | "ChannelChanged"> {
  return event.type === "ChannelRegistered" || event.type === "ChannelChanged";
}

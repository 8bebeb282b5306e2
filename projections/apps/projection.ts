import { eventsOfType } from "../../domain/event-catalogue.ts";
import { defineProjection } from "../projection.ts";
import { insertApps, insertTokens, revokeTokens, upsertChannels } from "./rows.ts";
import { createAppsTables } from "./table.ts";

/**
 * What is administered: apps, tokens, channels (contract/administration.md).
 */
export const appsProjection = defineProjection({
  name: "apps",
  version: 1,
  group: "control",
  handles: ["AppRegistered", "TokenIssued", "TokenRevoked", "ChannelRegistered", "ChannelChanged"],
  parkBy: "stream",
  tables: { apps: ["app_id"], tokens: ["app_id", "token_id"], channels: ["name"] },
  createTables: createAppsTables,
  async apply(trx, schema, batch) {
    await insertApps(trx, schema, eventsOfType(batch, "AppRegistered"));
    // A token is revoked after it was issued, so that each can be applied to the whole batch at once.
    await insertTokens(trx, schema, eventsOfType(batch, "TokenIssued"));
    await revokeTokens(trx, schema, eventsOfType(batch, "TokenRevoked"));
    await upsertChannels(trx, schema, eventsOfType(batch, "ChannelRegistered", "ChannelChanged"));
  },
});

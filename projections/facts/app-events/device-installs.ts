import { precedes } from "../../../domain/attribution/event-order.ts";
import type { StatementPipeline } from "../sql/statement-pipeline.ts";
import { type Columns, unnest } from "../sql/unnest.ts";
import type { AppEventFact } from "./app-events.ts";

const columns: Columns<AppEventFact> = {
  app_id: { type: "integer", of: ({ appId }) => appId },
  device_key: { type: "uuid", of: ({ deviceKey }) => deviceKey },
  event_id: { type: "uuid", of: ({ eventId }) => eventId },
  at: { type: "timestamptz", of: ({ event }) => event.data.at },
  position: { type: "bigint", of: ({ position }) => position },
};

/** Keeps which install of each device is the latest, by event time, then position (contract/prediction.md#checks). */
export async function storeInstalls({ schema, run }: StatementPipeline, facts: readonly AppEventFact[]): Promise<void> {
  const latest = new Map<string, AppEventFact>();
  for (const fact of facts) {
    if (fact.category !== "app_install") continue;
    const key = `${fact.appId} ${fact.deviceKey}`;
    const known = latest.get(key);
    if (known === undefined || precedes(known, fact)) latest.set(key, fact);
  }
  if (latest.size === 0) return;
  const { text, names, values } = unnest([...latest.values()], columns, "install");
  await run(
    `insert into ${schema}.device_installs as known (${names}) select ${names} from ${text}
     on conflict (app_id, device_key) do update
     set event_id = excluded.event_id, at = excluded.at, position = excluded.position
     where (excluded.at, excluded.position) > (known.at, known.position)`,
    values,
  );
}

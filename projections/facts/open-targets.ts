import { isTargetCategory } from "../../domain/attribution/target-event.ts";
import type { AppEventFact } from "./app-events.ts";
import { type MatchKeys, matchKeysOf } from "./match-keys.ts";
import type { TableWriter } from "./table-writer.ts";
import { type Columns, unnest } from "./unnest.ts";

interface TargetRow extends MatchKeys {
  readonly fact: AppEventFact;
}

const columns: Columns<TargetRow> = {
  app_id: { type: "integer", of: ({ fact }) => fact.appId },
  event_id: { type: "uuid", of: ({ fact }) => fact.eventId },
  position: { type: "bigint", of: ({ fact }) => fact.position },
  at: { type: "timestamptz", of: ({ fact }) => fact.event.data.at },
  category: { type: "text", of: ({ fact }) => fact.category },
  device_key: { type: "uuid", of: ({ fact }) => fact.deviceKey },
  click_id: { type: "uuid", of: ({ fact }) => fact.event.data.clickId },
  gaid_key: { type: "bigint", of: ({ gaidKey }) => gaidKey },
  idfa_key: { type: "bigint", of: ({ idfaKey }) => idfaKey },
  idfv_key: { type: "bigint", of: ({ idfvKey }) => idfvKey },
  ip_key: { type: "bigint", of: ({ ipKey }) => ipKey },
  os: { type: "text", of: ({ fact }) => fact.event.data.device.os ?? null },
  os_version: { type: "text", of: ({ fact }) => fact.event.data.device.osVersion ?? null },
};

/** Opens a row of the attribution reactor's to-do list for every new target event (D6.1). */
export async function openTargetsFor({ schema, run }: TableWriter, facts: readonly AppEventFact[]): Promise<void> {
  const rows = facts
    .filter(({ category }) => isTargetCategory(category))
    .map((fact) => ({ fact, ...matchKeysOf(fact.event.data.person) }));
  if (rows.length === 0) return;
  const { text, names, values } = unnest(rows, columns, "target");
  await run(`insert into ${schema}.open_targets (${names}) select ${names} from ${text}`, values);
}

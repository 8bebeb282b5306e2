import { isTargetCategory } from "../../../domain/attribution/target-event.ts";
import type { AppEventFact } from "../app-events/app-events.ts";
import type { StatementPipeline } from "../sql/statement-pipeline.ts";
import { type Columns, unnest } from "../sql/unnest.ts";
import { type IdentifierKeys, identifierKeysOf } from "../touchpoints/identifier-keys.ts";
import { targetIdentifierKeysOf } from "./target-identifier-keys.ts";

interface TargetRow extends IdentifierKeys {
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

interface TargetKey {
  readonly fact: AppEventFact;
  readonly key: bigint;
}

const keyColumns: Columns<TargetKey> = {
  app_id: { type: "integer", of: ({ fact }) => fact.appId },
  key: { type: "bigint", of: ({ key }) => key },
  at: { type: "timestamptz", of: ({ fact }) => fact.event.data.at },
  position: { type: "bigint", of: ({ fact }) => fact.position },
  event_id: { type: "uuid", of: ({ fact }) => fact.eventId },
};

/**
 * Stores every new target event (contract/attribution.md#target-events) and opens a row of the attribution reactor's
 * to-do list for it, for an install of the vectors' too.
 */
export async function openTargetsFor(
  { schema, run }: StatementPipeline,
  facts: readonly AppEventFact[],
): Promise<void> {
  const rows = facts
    .filter(({ category }) => isTargetCategory(category))
    .map((fact) => ({ fact, ...identifierKeysOf(fact.event.data.person) }));
  if (rows.length === 0) return;
  const keys = rows.flatMap(({ fact, ...matchKeys }) => {
    const { clickId, deviceKey, device } = fact.event.data;
    return targetIdentifierKeysOf({ ...matchKeys, clickId, deviceKey, os: device.os ?? null }).map((key) => ({
      fact,
      key,
    }));
  });
  const target = unnest(rows, columns, "target");
  const key = unnest(keys, keyColumns, "key");
  await Promise.all([
    run(
      `with target as (
         insert into ${schema}.targets (${target.names}) select ${target.names} from ${target.text}
         returning app_id, event_id, position, category
       ), vector as (
         insert into ${schema}.open_vectors (app_id, event_id, position)
         select app_id, event_id, position from target where category = 'app_install'
       )
       insert into ${schema}.open_targets (app_id, event_id, position) select app_id, event_id, position from target`,
      target.values,
    ),
    run(`insert into ${schema}.target_keys (${key.names}) select ${key.names} from ${key.text}`, key.values),
  ]);
}

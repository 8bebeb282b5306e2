import type { Knex } from "knex";
import type { AppEventRecorded, DeviceDescription } from "../../domain/app-events/events.ts";
import type { Moment } from "../../domain/attribution/event-order.ts";
import { type LocalTime, localTime } from "../../domain/local-time.ts";
import type { RecordedEvent } from "../../domain/recorded-event.ts";
import type { SchemaName } from "../projection.ts";
import type { Timezones } from "./apps.ts";
import { clientOf, type Dimension, storeClients } from "./dimensions.ts";
import { userKeyOf } from "./match-keys.ts";
import { type Columns, unnest } from "./unnest.ts";
import { type EventVersion, versionColumns } from "./version-rows.ts";

/** An app event, with what the projection computes of it once. */
export interface AppEventFact extends Moment {
  readonly event: RecordedEvent<AppEventRecorded>;
  readonly appId: number;
  readonly eventId: string;
  readonly category: string;
  readonly deviceKey: string;
  readonly userKey: bigint | null;
  readonly client: Dimension<DeviceDescription>;
  readonly local: LocalTime | null;
}

interface StoredVersion extends EventVersion {
  readonly fact: AppEventFact;
}

const columns: Columns<StoredVersion> = {
  ...versionColumns,
  at: { type: "timestamptz", of: ({ fact }) => fact.event.data.at },
  local_date: { type: "date", of: ({ fact }) => fact.local?.date ?? null },
  local_hour: { type: "smallint", of: ({ fact }) => fact.local?.hour ?? null },
  source: { type: "text", of: ({ fact }) => fact.event.data.source },
  category: { type: "text", of: ({ fact }) => fact.category },
  device_key: { type: "uuid", of: ({ fact }) => fact.deviceKey },
  user_key: { type: "bigint", of: ({ fact }) => fact.userKey },
  value: { type: "numeric", of: ({ fact }) => fact.event.data.value },
  currency: { type: "text", of: ({ fact }) => fact.event.data.currency },
  client_key: { type: "bigint", of: ({ fact }) => fact.client.key },
};

export function factOf(event: RecordedEvent<AppEventRecorded>, timezones: Timezones): AppEventFact {
  const { appId, eventId, at, category, deviceKey, device, person } = event.data;
  const timezone = timezones.get(appId);
  const instant = Date.parse(at);
  return {
    event,
    appId,
    eventId,
    at: instant,
    position: event.position.commit,
    category,
    deviceKey,
    userKey: userKeyOf(person.externalUserId),
    client: clientOf(appId, device),
    local: timezone === undefined ? null : localTime(timezone, instant),
  };
}

/** Those whose ids are new, the first of each id: a repeated call has one effect (design 3). */
export async function withNewIds(
  trx: Knex.Transaction,
  schema: SchemaName,
  facts: readonly AppEventFact[],
): Promise<readonly AppEventFact[]> {
  if (facts.length === 0) return [];
  const firstOfId = new Map<string, AppEventFact>();
  for (const fact of facts) {
    const key = eventKey(fact.appId, fact.eventId);
    if (!firstOfId.has(key)) firstOfId.set(key, fact);
  }
  const { text, values } = unnest([...firstOfId.values()], keyColumns, "asked");
  const { rows }: { rows: readonly { readonly app_id: number; readonly event_id: string }[] } = await trx.raw(
    // The limit keeps it to one look into the index per id, however large or small the planner believes the table.
    `select asked.app_id, asked.event_id
     from ${text}
     cross join lateral (
       select from ${schema}.app_events as known
       where known.app_id = asked.app_id and known.event_id = asked.event_id
       limit 1
     ) as known`,
    [...values],
  );
  for (const { app_id, event_id } of rows) firstOfId.delete(eventKey(app_id, event_id));
  return [...firstOfId.values()];
}

const keyColumns: Columns<AppEventFact> = {
  app_id: { type: "integer", of: ({ appId }) => appId },
  event_id: { type: "uuid", of: ({ eventId }) => eventId },
};

/** Stores new app events in all their versions. */
export async function storeAppEvents(
  trx: Knex.Transaction,
  schema: SchemaName,
  versions: readonly StoredVersion[],
): Promise<void> {
  if (versions.length === 0) return;
  const { text, names, values } = unnest(versions, columns, "version");
  await trx.raw(`insert into ${schema}.app_events (${names}) select ${names} from ${text}`, [...values]);
  await storeClients(
    trx,
    schema,
    versions.map(({ fact }) => fact.client),
  );
}

/** What tells app events apart, over all apps. */
export function eventKey(appId: number, eventId: string): string {
  return `${appId} ${eventId}`;
}

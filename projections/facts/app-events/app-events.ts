import type { AppEventRecorded, DeviceDescription } from "../../../domain/app-events/events.ts";
import type { EventOrderKey } from "../../../domain/attribution/event-order.ts";
import type { RecordedEvent } from "../../../domain/event-catalogue.ts";
import type { LocalTime } from "../../../domain/values/local-time.ts";
import { type KnownApps, saltOf } from "../dimensions/apps.ts";
import { clientOf, type Dimension, storeClients } from "../dimensions/dimensions.ts";
import type { StatementPipeline } from "../sql/statement-pipeline.ts";
import { type Columns, insertRows, storableJson, unnest } from "../sql/unnest.ts";
import { userKeyOf } from "../touchpoints/identifier-keys.ts";
import { type EventVersion, versionColumns } from "./version-rows.ts";

/** An app event, with values that the projection computes once. */
export interface AppEventFact extends EventOrderKey {
  readonly event: RecordedEvent<AppEventRecorded>;
  readonly appId: number;
  readonly eventId: string;
  readonly category: string;
  readonly deviceKey: string;
  readonly userKey: bigint | null;
  readonly client: Dimension<DeviceDescription>;
}

/** One version of a new app event, to be stored. */
export interface NewVersion extends EventVersion {
  readonly fact: AppEventFact;
  /** Null when the app is not registered. */
  readonly local: LocalTime | null;
}

const columns: Columns<NewVersion> = {
  ...versionColumns,
  at: { type: "timestamptz", of: ({ fact }) => fact.event.data.at },
  local_date: { type: "date", of: ({ local }) => local?.date ?? null },
  local_hour: { type: "smallint", of: ({ local }) => local?.hour ?? null },
  source: { type: "text", of: ({ fact }) => fact.event.data.source },
  category: { type: "text", of: ({ fact }) => fact.category },
  device_key: { type: "uuid", of: ({ fact }) => fact.deviceKey },
  user_key: { type: "bigint", of: ({ fact }) => fact.userKey },
  value: { type: "numeric", of: ({ fact }) => fact.event.data.value },
  currency: { type: "text", of: ({ fact }) => fact.event.data.currency },
  client_key: { type: "bigint", of: ({ fact }) => fact.client.key },
};

const detailColumns: Columns<AppEventFact> = {
  app_id: { type: "integer", of: ({ appId }) => appId },
  at: { type: "timestamptz", of: ({ event }) => event.data.at },
  event_id: { type: "uuid", of: ({ eventId }) => eventId },
  device_id: { type: "text", of: ({ event }) => event.data.person.deviceId },
  external_user_id: { type: "text", of: ({ event }) => event.data.person.externalUserId ?? null },
  action: { type: "text", of: ({ event }) => event.data.action },
  label: { type: "text", of: ({ event }) => event.data.label },
  properties: {
    type: "text",
    of: ({ event: { data } }) => (data.properties === null ? null : storableJson(data.properties)),
  },
  ip: { type: "text", of: ({ event }) => event.data.person.ip ?? null },
  user_agent: { type: "text", of: ({ event }) => event.data.person.userAgent ?? null },
};

export function factOf(event: RecordedEvent<AppEventRecorded>, apps: KnownApps): AppEventFact {
  const { appId, eventId, at, category, deviceKey, device, person } = event.data;
  return {
    event,
    appId,
    eventId,
    at: Date.parse(at),
    position: event.position.commit,
    category,
    deviceKey,
    userKey: userKeyOf(person.externalUserId, saltOf(apps, appId)),
    client: clientOf(appId, device),
  };
}

/** Keys of the events whose ids are stored already. */
export async function knownKeys(
  { schema, run }: StatementPipeline,
  facts: readonly AppEventFact[],
): Promise<ReadonlySet<string>> {
  if (facts.length === 0) return new Set();
  const { text, values } = unnest(facts, eventKeyColumns, "requested");
  const rows = await run<{ readonly app_id: number; readonly event_id: string }>(
    // The limit makes the planner use one index scan per id, whatever it estimates of the table.
    `select requested.app_id, requested.event_id
     from ${text}
     cross join lateral (
       select
       from ${schema}.app_events as known
       where known.app_id = requested.app_id and known.event_id = requested.event_id
       limit 1
     ) as known`,
    values,
  );
  return new Set(rows.map(({ app_id, event_id }) => eventKey(app_id, event_id)));
}

/** Stores new app events in all their versions. */
export async function storeAppEvents(pipeline: StatementPipeline, versions: readonly NewVersion[]): Promise<void> {
  await Promise.all([
    insertRows(pipeline, "app_events", versions, columns),
    storeClients(
      pipeline,
      versions.map(({ fact }) => fact.client),
    ),
  ]);
}

/** Stores the columns of new app events that only raw exports read (contract/exports.md#requesting). */
export async function storeAppEventDetails(pipeline: StatementPipeline, facts: readonly AppEventFact[]): Promise<void> {
  await insertRows(pipeline, "app_event_details", facts, detailColumns);
}

/** Identifies an app event among those of all apps. */
export function eventKey(appId: number, eventId: string): string {
  return `${appId} ${eventId}`;
}

/** What {@link eventKey} is of, as columns. */
export const eventKeyColumns: Columns<{ readonly appId: number; readonly eventId: string }> = {
  app_id: { type: "integer", of: ({ appId }) => appId },
  event_id: { type: "uuid", of: ({ eventId }) => eventId },
};

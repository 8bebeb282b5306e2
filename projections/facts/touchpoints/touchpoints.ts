import type { DeviceDescription } from "../../../domain/app-events/events.ts";
import type { RecordedEvent } from "../../../domain/event-catalogue.ts";
import { firstOfEach } from "../../../domain/items-by-key.ts";
import type { TouchpointEvent, TouchpointKind, TouchpointSource } from "../../../domain/touchpoints/events.ts";
import type { LocalTime } from "../../../domain/values/local-time.ts";
import type { Day } from "../daily-aggregates/daily-statements.ts";
import { type KnownApps, localTimeOf, saltOf } from "../dimensions/apps.ts";
import { clientOf, type Dimension, sourceOf, storeClients, storeSources } from "../dimensions/dimensions.ts";
import type { StatementPipeline } from "../sql/statement-pipeline.ts";
import { type Columns, unnest } from "../sql/unnest.ts";
import { eligibilityClass } from "./eligibility-class.ts";
import { type IdentifierKeys, identifierColumns, identifierKeysOf } from "./identifier-keys.ts";

interface TouchpointRow extends IdentifierKeys {
  readonly event: RecordedEvent<TouchpointEvent>;
  readonly kind: TouchpointKind;
  readonly local: LocalTime | null;
  readonly source: Dimension<TouchpointSource>;
  readonly client: Dimension<DeviceDescription>;
}

const columns: Columns<TouchpointRow> = {
  app_id: { type: "integer", of: ({ event }) => event.data.appId },
  touchpoint_id: { type: "uuid", of: ({ event }) => event.data.touchpointId },
  position: { type: "bigint", of: ({ event }) => event.position.commit },
  kind: { type: "text", of: ({ kind }) => kind },
  human: { type: "boolean", of: ({ event }) => event.data.verdict.human },
  at: { type: "timestamptz", of: ({ event }) => event.data.at },
  local_date: { type: "date", of: ({ local }) => local?.date ?? null },
  local_hour: { type: "smallint", of: ({ local }) => local?.hour ?? null },
  source_key: { type: "bigint", of: ({ source }) => source.key },
  client_key: { type: "bigint", of: ({ client }) => client.key },
  os: { type: "text", of: ({ event }) => event.data.os },
  os_version: { type: "text", of: ({ event }) => event.data.osVersion },
  device_key: { type: "uuid", of: ({ event }) => event.data.deviceKey },
  ...identifierColumns,
  eligibility_class: {
    type: "smallint",
    of: ({ event, kind }) => eligibilityClass(kind, event.data.verdict.human, event.data.source.isReengagement),
  },
};

const detailColumns: Columns<TouchpointRow> = {
  device_id: { type: "text", of: ({ event }) => event.data.person.deviceId ?? null },
  ip: { type: "text", of: ({ event }) => event.data.person.ip ?? null },
  user_agent: { type: "text", of: ({ event }) => event.data.person.userAgent ?? null },
};
const detailNames = `app_id, at, touchpoint_id, ${Object.keys(detailColumns).join(", ")}`;

/** Stores the first touchpoint of each new id; returns the days that they may have changed. */
export async function storeTouchpoints(
  pipeline: StatementPipeline,
  apps: KnownApps,
  events: readonly RecordedEvent<TouchpointEvent>[],
): Promise<readonly Day[]> {
  if (events.length === 0) return [];
  const { schema, run } = pipeline;
  const first = firstOfEach(events, ({ data }) => `${data.appId} ${data.touchpointId}`);
  const rows = first.map((event) => rowOf(event, apps));
  const { text, values } = unnest(rows, { ...columns, ...detailColumns }, "touchpoint");
  const names = Object.keys(columns).join(", ");
  const fresh = await run<FreshRow>(
    `with sent as (
       select *
       from ${text}
     ), fresh as (
       insert into ${schema}.touchpoints (${names})
       select ${names}
       from sent
       on conflict do nothing
       returning app_id, touchpoint_id, source_key, client_key
     ), described as (
       insert into ${schema}.touchpoint_details (${detailNames})
       select ${detailNames}
       from sent
       join fresh using (app_id, touchpoint_id)
       where human
     )
     select distinct app_id, source_key, client_key
     from fresh`,
    values,
  );
  const sources = new Set(fresh.map(({ app_id, source_key }) => `${app_id} ${source_key}`));
  const clients = new Set(fresh.map(({ app_id, client_key }) => `${app_id} ${client_key}`));
  const isIn = (keys: ReadonlySet<string>) => (one: Dimension<unknown>) => keys.has(`${one.appId} ${one.key}`);
  await Promise.all([
    storeSources(pipeline, rows.map(({ source }) => source).filter(isIn(sources))),
    storeClients(pipeline, rows.map(({ client }) => client).filter(isIn(clients))),
  ]);
  // Days of repeated touchpoints are included when others are new: a day reported as changed is only aggregated again.
  return fresh.length === 0 ? [] : rows.flatMap(dayOf);
}

interface FreshRow {
  readonly app_id: number;
  readonly source_key: bigint;
  readonly client_key: bigint;
}

function dayOf({ event, local }: TouchpointRow): readonly Day[] {
  return local === null ? [] : [{ app_id: event.data.appId, local_date: local.date }];
}

function rowOf(event: RecordedEvent<TouchpointEvent>, apps: KnownApps): TouchpointRow {
  const { appId, at, source, os, osVersion, person } = event.data;
  return {
    event,
    kind: event.type === "ClickRecorded" ? "click" : "impression",
    local: localTimeOf(apps, appId, at),
    source: sourceOf(appId, source),
    client: clientOf(appId, { ...(os === null ? {} : { os }), ...(osVersion === null ? {} : { osVersion }) }),
    ...identifierKeysOf(person, saltOf(apps, appId)),
  };
}

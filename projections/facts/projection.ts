import type { Knex } from "knex";
import type { AppEventRecorded } from "../../domain/app-events/events.ts";
import type { AppRegistered } from "../../domain/apps/events.ts";
import type { AttributionDecided } from "../../domain/attribution/events.ts";
import { revised, type Version } from "../../domain/attribution/versions.ts";
import type { RecordedEvent } from "../../domain/recorded-event.ts";
import type { TouchpointEvent } from "../../domain/touchpoints/events.ts";
import type { Projection, SchemaName } from "../projection.ts";
import { affectedEvents } from "./affected-events.ts";
import { type AppEventFact, factOf, storeAppEvents, withNewIds } from "./app-events.ts";
import { storeApps, timezonesOf } from "./apps.ts";
import { changesBy } from "./changes.ts";
import { storeDecisions } from "./decisions.ts";
import { type Firsts, takeFirsts } from "./firsts.ts";
import { inheritedLabels } from "./inherited-labels.ts";
import { openTargetsFor } from "./open-targets.ts";
import { createFactsTables, factsTables, inForce } from "./table.ts";
import { storeTouchpoints } from "./touchpoints.ts";
import { storeRevisions } from "./version-rows.ts";

type FactsEvent = AppRegistered | TouchpointEvent | AppEventRecorded | AttributionDecided;

/** Everything a report reads (design 7): touchpoints, app events and whose winner they carry, firsts, decisions. */
export const facts: Projection = {
  name: "facts",
  version: 1,
  group: "facts",
  handles: [
    "AppRegistered",
    "ClickRecorded",
    "ImpressionRecorded",
    "AppEventRecorded",
    "AttributionDecided",
  ] satisfies readonly FactsEvent["type"][],
  parkBy: "fact",
  tables: factsTables,
  createTables: createFactsTables,
  apply: (trx, schema, batch) => applyFacts(trx, schema, batch as readonly RecordedEvent<FactsEvent>[]),
};

async function applyFacts(
  trx: Knex.Transaction,
  schema: SchemaName,
  batch: readonly RecordedEvent<FactsEvent>[],
): Promise<void> {
  const apps: RecordedEvent<AppRegistered>[] = [];
  const touchpoints: RecordedEvent<TouchpointEvent>[] = [];
  const appEvents: RecordedEvent<AppEventRecorded>[] = [];
  const decisions: RecordedEvent<AttributionDecided>[] = [];
  for (const event of batch) {
    if (event.type === "AppRegistered") apps.push(event);
    else if (event.type === "AppEventRecorded") appEvents.push(event);
    else if (event.type === "AttributionDecided") decisions.push(event);
    else touchpoints.push(event);
  }
  await storeApps(trx, schema, apps);
  const timezones = await timezonesOf(
    trx,
    schema,
    new Set([...touchpoints, ...appEvents].map(({ data }) => data.appId)),
  );
  await storeTouchpoints(trx, schema, timezones, touchpoints);
  await applyAppEvents(
    trx,
    schema,
    appEvents.map((event) => factOf(event, timezones)),
    decisions,
  );
}

async function applyAppEvents(
  trx: Knex.Transaction,
  schema: SchemaName,
  sent: readonly AppEventFact[],
  decisions: readonly RecordedEvent<AttributionDecided>[],
): Promise<void> {
  const fresh = await withNewIds(trx, schema, sent);
  // What earlier batches have decided; what this one decides comes as changes, as it does to stored events.
  const labels = await inheritedLabels(trx, schema, fresh);
  const firsts = await takeFirsts(trx, schema, fresh);
  await openTargetsFor(trx, schema, fresh);
  const attributions = await storeDecisions(trx, schema, decisions);
  const changesOf = changesBy(attributions, firsts.preceded);

  const affected = await affectedEvents(trx, schema, attributions, firsts.preceded);
  await storeRevisions(
    trx,
    schema,
    affected.map((event) => ({ event, versions: revised(event.versions, changesOf(event)) })),
  );
  await storeAppEvents(
    trx,
    schema,
    fresh.flatMap((fact) => {
      const { appId, eventId } = fact;
      const first = firstVersion(fact, labels.get(fact) ?? null, firsts);
      return revised([first], changesOf(fact)).map((version) => ({ appId, eventId, version, fact }));
    }),
  );
}

function firstVersion(fact: AppEventFact, label: Version["label"], { found }: Firsts): Version {
  const first = found.get(fact);
  return {
    from: fact.position,
    to: inForce,
    label,
    isFirstOfDevice: first?.ofDevice ?? false,
    isFirstOfUser: first?.ofUser ?? null,
  };
}

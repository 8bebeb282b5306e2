import type { AppEventRecorded } from "../../domain/app-events/events.ts";
import type { AttributionEvent } from "../../domain/attribution/events.ts";
import { applyLabelChanges, type Version } from "../../domain/attribution/label-versions.ts";
import { eventsOfType, type RecordedEvent, type RecordedOfType } from "../../domain/event-catalogue.ts";
import { firstOfEach } from "../../domain/items-by-key.ts";
import { stagingTypes } from "../../domain/uploads/upload-kinds.ts";
import { inForce } from "../in-force.ts";
import { defineProjection } from "../projection.ts";
import {
  type AppEventFact,
  eventKey,
  factOf,
  knownKeys,
  storeAppEventDetails,
  storeAppEvents,
} from "./app-events/app-events.ts";
import { storeAliases, storeInstalls } from "./app-events/device-aliases.ts";
import { type FirstEvents, findFirstEvents, lookUpFirstEvents, storeFirstEvents } from "./app-events/first-events.ts";
import { verifyVectors } from "./app-events/verify-vectors.ts";
import { storeRules } from "./attribution/attribution-rules.ts";
import { storeDecisions } from "./attribution/decisions.ts";
import { inheritedLabels, labelChangesBy, reviseStored } from "./attribution/labels.ts";
import { storeLateTouchpoints } from "./attribution/late-touchpoints.ts";
import { openDueRevisions } from "./attribution/revisions.ts";
import { storeTargets } from "./attribution/target-events.ts";
import { markDaysChanged } from "./daily-aggregates/changed-days.ts";
import type { Day } from "./daily-aggregates/daily-statements.ts";
import { verifyDays } from "./daily-aggregates/verify-days.ts";
import { appsOf, type KnownApps, localTimeOf, storeApps } from "./dimensions/apps.ts";
import { storeChannelFlags } from "./dimensions/channel-flags.ts";
import { storeRates } from "./dimensions/store-rates.ts";
import { openPipeline, type StatementPipeline } from "./sql/statement-pipeline.ts";
import { createFactsQueryIndexes, createFactsTables, factsTables } from "./tables.ts";
import { storeTouchpoints } from "./touchpoints/touchpoints.ts";
import { storeArchived } from "./uploads/uploaded-categories.ts";
import { applyUploads } from "./uploads/uploads.ts";

const handles = [
  "AppRegistered",
  "ClickRecorded",
  "ImpressionRecorded",
  "AppEventRecorded",
  "AttributionDecided",
  "AttributionRevised",
  ...stagingTypes,
  "UploadIngested",
  "UploadedMetricArchived",
  "UploadedMetricRestored",
  "AttributionRulesChanged",
  "ChannelRegistered",
  "ChannelChanged",
  "ExchangeRatesSet",
] as const;

type FactsEvent = RecordedOfType<(typeof handles)[number]>;

/**
 * Everything a report reads: touchpoints; app events with their labels; first events; decisions; uploaded spend and
 * metrics; attribution rules, exchange rates and self-attributing channels. Also the tables in which context prediction
 * looks up devices and installs.
 */
export const facts = defineProjection({
  name: "facts",
  version: 14,
  group: "facts",
  handles,
  parkBy: "fact",
  tables: factsTables,
  createTables: createFactsTables,
  createQueryIndexes: createFactsQueryIndexes,
  apply: (trx, schema, batch) => applyFacts(openPipeline(trx, schema), batch),
  verifyDerived: async (model) => [...(await verifyDays(model)), await verifyVectors(model)],
});

async function applyFacts(pipeline: StatementPipeline, batch: readonly FactsEvent[]): Promise<void> {
  const touchpoints = eventsOfType(batch, "ClickRecorded", "ImpressionRecorded");
  const appEvents = eventsOfType(batch, "AppEventRecorded");
  const decisions = eventsOfType(batch, "AttributionDecided", "AttributionRevised");
  await storeApps(pipeline, eventsOfType(batch, "AppRegistered"));
  const known = await appsOf(pipeline, new Set([...touchpoints, ...appEvents].map(({ data }) => data.appId)));
  const touched = storeTouchpoints(pipeline, known, touchpoints);
  const [touchedDays, changedDays] = await Promise.all([
    touched,
    applyAppEvents(pipeline, known, touched, appEvents, decisions),
    applyUploads(pipeline, eventsOfType(batch, ...stagingTypes, "UploadIngested")),
    storeArchived(pipeline, eventsOfType(batch, "UploadedMetricArchived", "UploadedMetricRestored")),
    storeRules(pipeline, eventsOfType(batch, "AttributionRulesChanged")),
    storeChannelFlags(pipeline, eventsOfType(batch, "ChannelRegistered", "ChannelChanged")),
    storeRates(pipeline, eventsOfType(batch, "ExchangeRatesSet")),
  ]);
  const [late] = await Promise.all([
    storeLateTouchpoints(pipeline, known, touchpoints),
    markDaysChanged(pipeline, [...touchedDays, ...changedDays]),
  ]);
  await openDueRevisions(pipeline, [...late, ...decisions.map(({ data }) => data)]);
}

/**
 * Looks up what earlier batches have stored, then stores what this batch adds and changes. Returns the days that
 * changed.
 */
async function applyAppEvents(
  pipeline: StatementPipeline,
  apps: KnownApps,
  touched: Promise<unknown>,
  events: readonly RecordedEvent<AppEventRecorded>[],
  decisions: readonly RecordedEvent<AttributionEvent>[],
): Promise<readonly Day[]> {
  // Repeated events have no effect.
  const facts = firstOfEach(
    events.map((event) => factOf(event, apps)),
    ({ appId, eventId }) => eventKey(appId, eventId),
  );
  const [known, labels, stored] = await Promise.all([
    knownKeys(pipeline, facts),
    inheritedLabels(pipeline, facts),
    lookUpFirstEvents(pipeline, facts),
  ]);
  const fresh = facts.filter(({ appId, eventId }) => !known.has(eventKey(appId, eventId)));
  const firsts = findFirstEvents(stored, fresh);
  // A revision takes effect at the position of a touchpoint, which must be stored.
  if (decisions.some(({ type }) => type === "AttributionRevised")) await touched;
  // In this order, because a decision on an event of this batch removes the event from the to-do list.
  const [, attributions] = await Promise.all([
    storeTargets(pipeline, apps, fresh),
    storeDecisions(pipeline, decisions),
    storeFirstEvents(pipeline, firsts),
  ]);
  const changesOf = labelChangesBy(attributions, firsts.preceded);
  const versions = fresh.flatMap((fact) => {
    const { appId, eventId, event } = fact;
    const local = localTimeOf(apps, appId, event.data.at);
    const first = firstVersion(fact, labels.get(fact) ?? null, firsts);
    return applyLabelChanges([first], changesOf(fact)).map((version) => ({ appId, eventId, version, fact, local }));
  });
  const [revisedDays] = await Promise.all([
    reviseStored(pipeline, attributions, firsts.preceded, changesOf),
    storeAppEvents(pipeline, versions),
    storeAppEventDetails(pipeline, fresh),
    storeAliases(pipeline, apps, fresh),
    storeInstalls(pipeline, fresh),
  ]);
  const addedDays = versions.flatMap(({ appId, local }) =>
    local === null ? [] : [{ app_id: appId, local_date: local.date }],
  );
  return [...revisedDays, ...addedDays];
}

function firstVersion(fact: AppEventFact, label: Version["label"], { found }: FirstEvents): Version {
  const first = found.get(fact);
  return {
    from: fact.position,
    to: inForce,
    label,
    isFirstOfDevice: first?.ofDevice ?? false,
    isFirstOfUser: first?.ofUser ?? null,
  };
}

import type { AppEventRecorded } from "../../domain/app-events/events.ts";
import type { AttributionEvent } from "../../domain/attribution/events.ts";
import { revised, type Version } from "../../domain/attribution/label-versions.ts";
import type { RecordedEvent } from "../../domain/event-catalogue.ts";
import { stagingTypes } from "../../domain/uploads/upload-kinds.ts";
import { defineProjection } from "../projection.ts";
import {
  type AppEventFact,
  eventKey,
  factOf,
  firstOfEachId,
  knownKeys,
  storeAppEventDetails,
  storeAppEvents,
} from "./app-events/app-events.ts";
import { storeAliases } from "./app-events/device-aliases.ts";
import { storeInstalls } from "./app-events/device-installs.ts";
import {
  type FirstEvents,
  findFirstEvents,
  lookUpFirstEvents,
  type Preceded,
  storeFirstEvents,
} from "./app-events/first-events.ts";
import { affectedEvents } from "./attribution/affected-events.ts";
import { type DeviceAttribution, storeDecisions } from "./attribution/decisions.ts";
import { inheritedLabels } from "./attribution/inherited-labels.ts";
import { labelChangesBy } from "./attribution/label-changes.ts";
import { storeLateTouchpoints } from "./attribution/late-touchpoints.ts";
import { openTargetsFor } from "./attribution/open-targets.ts";
import { reopen } from "./attribution/revisions-due.ts";
import { storeRules } from "./attribution/rules.ts";
import { type Day, markDaysChanged } from "./daily-aggregates/changed-days.ts";
import { appsOf, type KnownApps, localTimeOf, storeApps } from "./dimensions/apps.ts";
import { storeChannelFlags } from "./dimensions/channel-flags.ts";
import { storeRates } from "./dimensions/exchange-rates.ts";
import { type FactsEvent, groupByType } from "./events-by-type.ts";
import { openPipeline, type StatementPipeline } from "./sql/statement-pipeline.ts";
import { storeRevisions } from "./sql/version-rows.ts";
import { createFactsQueryIndexes, createFactsTables, factsTables, inForce } from "./table.ts";
import { storeTouchpoints } from "./touchpoints/touchpoints.ts";
import { storeArchived } from "./uploads/uploaded-categories.ts";
import { applyUploads } from "./uploads/uploads.ts";

/**
 * Everything a report reads: touchpoints, app events and whose winner they carry, firsts, decisions; spend and metrics
 * that were uploaded; attribution rules, exchange rates, and which channels are self-attributing. And what context
 * prediction finds devices and installs by.
 */
export const facts = defineProjection({
  name: "facts",
  version: 8,
  group: "facts",
  handles: [
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
  ],
  parkBy: "fact",
  tables: factsTables,
  createTables: createFactsTables,
  createQueryIndexes: createFactsQueryIndexes,
  apply: (trx, schema, batch) => applyFacts(openPipeline(trx, schema), batch),
});

async function applyFacts(pipeline: StatementPipeline, batch: readonly RecordedEvent<FactsEvent>[]): Promise<void> {
  const { apps, touchpoints, appEvents, decisions, uploads, archived, rules, channels, rates } = groupByType(batch);
  await storeApps(pipeline, apps);
  const known = appsOf(pipeline, new Set([...touchpoints, ...appEvents].map(({ data }) => data.appId)));
  const touched = known.then((found) => storeTouchpoints(pipeline, found, touchpoints));
  const [touchedDays, changedDays] = await Promise.all([
    touched,
    applyAppEvents(pipeline, known, touched, appEvents, decisions),
    applyUploads(pipeline, uploads),
    storeArchived(pipeline, archived),
    storeRules(pipeline, rules),
    storeChannelFlags(pipeline, channels),
    storeRates(pipeline, rates),
  ]);
  const [late] = await Promise.all([
    storeLateTouchpoints(pipeline, touchpoints),
    markDaysChanged(pipeline, [...touchedDays, ...changedDays]),
  ]);
  await reopen(pipeline, [...late, ...decisions.map(({ data }) => data)]);
}

/**
 * Look-ups first, all of them of what earlier batches have left; then what this batch adds and changes. Answers of
 * which days that is.
 */
async function applyAppEvents(
  pipeline: StatementPipeline,
  apps: Promise<KnownApps>,
  touched: Promise<unknown>,
  sent: readonly RecordedEvent<AppEventRecorded>[],
  decisions: readonly RecordedEvent<AttributionEvent>[],
): Promise<readonly Day[]> {
  const facts = firstOfEachId(sent.map(factOf));
  const [known, labels, stored] = await Promise.all([
    knownKeys(pipeline, facts),
    inheritedLabels(pipeline, facts),
    lookUpFirstEvents(pipeline, facts),
  ]);
  const fresh = facts.filter(({ appId, eventId }) => !known.has(eventKey(appId, eventId)));
  const firsts = findFirstEvents(stored, fresh);
  // A revision takes effect at the position of a touchpoint.
  if (decisions.some(({ type }) => type === "AttributionRevised")) await touched;
  // In this order: a decision on an event of this batch closes the row that the event opens.
  const [, attributions] = await Promise.all([
    openTargetsFor(pipeline, fresh),
    storeDecisions(pipeline, decisions),
    storeFirstEvents(pipeline, firsts),
  ]);
  const changesOf = labelChangesBy(attributions, firsts.preceded);
  const knownApps = await apps;
  const versions = fresh.flatMap((fact) => {
    const { appId, eventId, event } = fact;
    const local = localTimeOf(knownApps, appId, event.data.at);
    const first = firstVersion(fact, labels.get(fact) ?? null, firsts);
    return revised([first], changesOf(fact)).map((version) => ({ appId, eventId, version, fact, local }));
  });
  const [revisedDays] = await Promise.all([
    reviseStored(pipeline, attributions, firsts.preceded, changesOf),
    storeAppEvents(pipeline, versions),
    storeAppEventDetails(pipeline, fresh),
    storeAliases(pipeline, knownApps, fresh),
    storeInstalls(pipeline, fresh),
  ]);
  const addedDays = versions.flatMap(({ appId, local }) =>
    local === null ? [] : [{ app_id: appId, local_date: local.date }],
  );
  return [...revisedDays, ...addedDays];
}

async function reviseStored(
  pipeline: StatementPipeline,
  attributions: readonly DeviceAttribution[],
  preceded: readonly Preceded[],
  changesOf: ReturnType<typeof labelChangesBy>,
): Promise<readonly Day[]> {
  const affected = await affectedEvents(pipeline, attributions, preceded);
  await storeRevisions(
    pipeline,
    affected.map((event) => ({ event, versions: revised(event.versions, changesOf(event)) })),
  );
  return affected.map(({ day }) => day);
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

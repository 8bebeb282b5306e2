import fc from "fast-check";
import type { AppEventRecorded } from "../../../../domain/app-events/events.ts";
import type { AppRegistered, AttributionRulesChanged } from "../../../../domain/apps/events.ts";
import { decideAttribution } from "../../../../domain/attribution/decide-attribution.ts";
import { defaultRules } from "../../../../domain/attribution/default-rules.ts";
import type { AttributionEvent } from "../../../../domain/attribution/events.ts";
import { reviseAttribution } from "../../../../domain/attribution/revisions.ts";
import type { RecordedEvent } from "../../../../domain/event-catalogue.ts";
import type { TouchpointEvent } from "../../../../domain/touchpoints/events.ts";
import { rulesInForce } from "../../../../projections/facts/attribution/attribution-rules.ts";
import { candidatesOf } from "../../../../projections/facts/attribution/candidates.ts";
import { openRevisions } from "../../../../projections/facts/attribution/revisions.ts";
import { openTargets } from "../../../../projections/facts/queries.ts";
import { shopRegistered } from "../../../examples/app.ts";
import { anInstall } from "../../../examples/app-events.ts";
import { exampleUuid, recordedAt } from "../../../examples/recorded-log.ts";
import { aClick, anImpression, springSale } from "../../../examples/touchpoints.ts";
import type { FactsTables } from "../facts-tables.ts";

type HistoryEvent = AppRegistered | AttributionRulesChanged | TouchpointEvent | AppEventRecorded | AttributionEvent;
export type History = readonly RecordedEvent<HistoryEvent>[];

/** Something that is sent, or `work`: the reactor takes one of the rows that are open just then. */
type Step =
  | TouchpointEvent
  | AppEventRecorded
  | AttributionRulesChanged
  | { readonly type: "work"; readonly take: number };

const at = fc.nat(12).map((minutes) => new Date(Date.parse("2026-03-01T10:00:00Z") + minutes * 600_000).toISOString());
const device = fc.constantFrom(0, 1).map((number) => exampleUuid("device", number));
const noDevice = fc.oneof(fc.constant(null), device);
const ip = fc.constantFrom("203.0.113.7", "203.0.113.8");
const gaid = fc.constantFrom({}, {}, { gaid: exampleUuid("gaid", 0) }, { gaid: exampleUuid("gaid", 1) });
const osVersion = fc.constantFrom(null, "15", "14");

const touchpoint: fc.Arbitrary<Step> = fc
  .record({ id: fc.nat(9), at, ip, gaid, osVersion, deviceKey: noDevice, human: fc.nat(5), link: fc.nat(8) })
  .map(({ id, human, link, ip: address, gaid: ids, ...changes }) =>
    (id % 3 === 0 ? anImpression : aClick)({
      ...changes,
      touchpointId: exampleUuid("touchpoint", id),
      verdict: human === 0 ? { human: false, bot: "spider" } : { human: true },
      person: { ip: address, ...ids },
      source: {
        ...springSale,
        channel: link % 2 === 0 ? "partner" : "other",
        isReengagement: link === 0 ? "ON-TRUE" : link === 1 ? "ON-FALSE" : "OFF",
      },
    }),
  );

const appEvent: fc.Arbitrary<Step> = fc
  .record({
    id: fc.nat(7),
    at,
    ip,
    gaid,
    osVersion,
    deviceKey: device,
    clickId: fc.oneof(
      fc.constant(null),
      fc.nat(9).map((id) => exampleUuid("touchpoint", id)),
    ),
    category: fc.constantFrom("app_install", "app_install", "app_deeplink_open", "app_order_complete"),
  })
  .map(({ id, ip: address, gaid: ids, osVersion: version, ...changes }) =>
    anInstall({
      ...changes,
      eventId: exampleUuid("event", id),
      device: version === null ? { os: "Android" } : { os: "Android", osVersion: version },
      person: { deviceId: "phone", ip: address, ...ids },
    }),
  );

const rulesChange: fc.Arbitrary<Step> = fc
  .record({ device: fc.nat(6), probabilistic: fc.nat(6), window: fc.nat(12), own: fc.boolean() })
  .map(({ own, window, ...hours }) => {
    const click = { device: hours.device * 1200, probabilistic: hours.probabilistic * 1200 };
    const windows = { click, impression: defaultRules.impression };
    const channels = own ? { other: { click: defaultRules.click, impression: click } } : {};
    const rules = { ...windows, attributionWindow: window * 600, channels };
    return { type: "AttributionRulesChanged", data: { appId: 1, rules } };
  });

/** Touchpoints and app events in no order of time, the reactor working in between, often late. */
export const anySteps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: touchpoint },
    { weight: 4, arbitrary: appEvent },
    { weight: 1, arbitrary: rulesChange },
    { weight: 4, arbitrary: fc.record({ type: fc.constant("work" as const), take: fc.nat() }) },
  ),
  { minLength: 10, maxLength: 40 },
);

/** The log that results from steps, with the reactor finishing its to-do list at the end. It is applied to `tables`. */
export async function historyOf(steps: readonly Step[], tables: FactsTables): Promise<History> {
  const log: RecordedEvent<HistoryEvent>[] = [];
  let projected = 0;
  const append = (event: HistoryEvent): void => {
    log.push(recordedAt(BigInt(log.length + 1) * 100n, event));
  };
  const work = async (take: number): Promise<boolean> => {
    await tables.apply(log.slice(projected));
    projected = log.length;
    const decided = await oneDecision(tables, log, take);
    if (decided !== null) append(decided);
    return decided !== null;
  };
  append(shopRegistered);
  for (const step of steps) {
    if (step.type === "work") await work(step.take);
    else append(step);
  }
  while (await work(0));
  return log;
}

async function oneDecision(tables: FactsTables, log: History, take: number): Promise<AttributionEvent | null> {
  const [targets, revisions] = await Promise.all([openTargets(tables, 0n, 100), openRevisions(tables, 100)]);
  // Of one event's revisions the first comes first.
  const firsts = revisions.filter(
    ({ target }, index) => index === revisions.findIndex((other) => other.target.eventId === target.eventId),
  );
  const open = [...targets.map((target) => ({ target, late: null })), ...firsts];
  const chosen = open[take % Math.max(1, open.length)];
  if (chosen === undefined) return null;
  const { target, late } = chosen;
  const asOf = late === null ? target : { ...target, position: late.position };
  const [[candidates], [rules]] = await Promise.all([candidatesOf(tables, [asOf]), rulesInForce(tables, [target])]);
  if (candidates === undefined || rules === undefined) throw new Error("Nothing was answered");
  if (late === null) return decideAttribution(target, candidates, rules);
  const last = log.findLast(
    (event): event is RecordedEvent<AttributionEvent> =>
      (event.type === "AttributionDecided" || event.type === "AttributionRevised") &&
      event.data.eventId === target.eventId,
  );
  return reviseAttribution(target, candidates, rules, late, last?.data.winner ?? null);
}

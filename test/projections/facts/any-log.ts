import fc from "fast-check";
import type { AppEventRecorded } from "../../../domain/app-events/events.ts";
import type { AppRegistered } from "../../../domain/apps/events.ts";
import { defaultRules } from "../../../domain/attribution/default-rules.ts";
import type { AttributionDecided } from "../../../domain/attribution/events.ts";
import { isTargetCategory } from "../../../domain/attribution/target-event.ts";
import type { RecordedEvent } from "../../../domain/event-catalogue.ts";
import type { TouchpointEvent } from "../../../domain/touchpoints/events.ts";
import { shopRegistered } from "../../examples/app.ts";
import { anInstall } from "../../examples/app-events.ts";
import { unattributed, wonBy } from "../../examples/decisions.ts";
import { exampleUuid, recordedLog } from "../../examples/recorded-log.ts";
import { aClick, anImpression, springSale } from "../../examples/touchpoints.ts";

type FactsEvent = AppRegistered | TouchpointEvent | AppEventRecorded | AttributionDecided;

type FactsLog = readonly RecordedEvent<FactsEvent>[];

type Step =
  | { readonly step: "touchpoint"; readonly appId: number; readonly id: number; readonly minute: number }
  | {
      readonly step: "app event";
      readonly appId: number;
      readonly id: number;
      readonly minute: number;
      readonly category: string;
      readonly device: number;
      readonly user: number | null;
      readonly partnerDevice: string | null;
    }
  | { readonly step: "decision"; readonly of: number; readonly winner: number | null; readonly window: number };

const appId = fc.constantFrom(1, 1, 1, 2);
const minute = fc.integer({ min: 0, max: 12 });

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 1,
    arbitrary: fc.record({
      step: fc.constant("touchpoint"),
      appId,
      id: fc.integer({ min: 0, max: 5 }),
      minute,
    } as const),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      step: fc.constant("app event"),
      appId,
      id: fc.integer({ min: 0, max: 25 }),
      minute,
      category: fc.constantFrom("app_install", "app_deeplink_open", "app_order_complete", "custom:level_up"),
      device: fc.constantFrom(0, 0, 1),
      user: fc.constantFrom(null, 0, 1),
      partnerDevice: fc.constantFrom(null, null, "0", " 1\u3000", "1"),
    } as const),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      step: fc.constant("decision"),
      of: fc.nat(),
      winner: fc.constantFrom(null, 0, 1, 2),
      window: fc.constantFrom(3 * 60, defaultRules.attributionWindow),
    } as const),
  },
);

/**
 * A log as it could be: ids that come again with other contents, events in no order of time, decisions at any later
 * position and in any order, some for windows of three minutes.
 */
export const anyFactsLog: fc.Arbitrary<FactsLog> = fc.array(anyStep, { minLength: 25, maxLength: 60 }).map((steps) => {
  const seen = new Set<string>();
  const undecided: AppEventRecorded[] = [];
  const events = steps.flatMap((step): readonly FactsEvent[] => {
    if (step.step === "touchpoint") return [touchpointOf(step)];
    if (step.step === "decision") {
      const [target] = undecided.splice(step.of % Math.max(1, undecided.length), 1);
      return target === undefined ? [] : [decisionOf(target, step)];
    }
    const event = appEventOf(step);
    const key = `${step.appId} ${step.id}`;
    if (!seen.has(key) && isTargetCategory(step.category)) undecided.push(event);
    seen.add(key);
    return [event];
  });
  const second = {
    ...shopRegistered,
    data: { ...shopRegistered.data, appId: 2, name: "second", timezone: "Etc/UTC", salt: "11".repeat(32) },
  };
  return recordedLog<FactsEvent>([shopRegistered, second, ...events]);
});

function timeOf(minuteOfHour: number): string {
  return new Date(Date.parse("2026-03-01T10:00:00Z") + minuteOfHour * 60_000).toISOString();
}

function touchpointOf({ appId: app, id, minute: at }: Extract<Step, { step: "touchpoint" }>): TouchpointEvent {
  const make = id % 3 === 0 ? anImpression : aClick;
  return make({
    appId: app,
    touchpointId: exampleUuid("touchpoint", id),
    at: timeOf(at),
    source: { ...springSale, campaignParams: { campaign: `${at % 3}` } },
  });
}

function appEventOf({
  appId: app,
  id,
  user,
  partnerDevice,
  ...step
}: Extract<Step, { step: "app event" }>): AppEventRecorded {
  return anInstall({
    appId: app,
    eventId: exampleUuid("event", id),
    at: timeOf(step.minute),
    category: step.category,
    deviceKey: exampleUuid("device", step.device),
    person: {
      deviceId: `${step.device}`,
      ...(user === null ? {} : { externalUserId: `${user}` }),
      ...(partnerDevice === null ? {} : { partnerDeviceId: partnerDevice }),
    },
  });
}

function decisionOf(target: AppEventRecorded, step: Extract<Step, { step: "decision" }>): AttributionDecided {
  if (step.winner === null) return unattributed(target);
  const click = aClick({ appId: target.data.appId, touchpointId: exampleUuid("touchpoint", step.winner) });
  const decision = wonBy(target, click);
  return { ...decision, data: { ...decision.data, rules: { ...defaultRules, attributionWindow: step.window } } };
}

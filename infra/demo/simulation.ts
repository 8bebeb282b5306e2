import { localDate } from "../../domain/local-time.ts";
import { type GroundTruth, groundTruth } from "./ground-truth.ts";
import { type Random, seededRandom } from "./random.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** Body of a link to create (A: Tracking link). */
export interface SimulatedLink {
  readonly channel: string;
  readonly campaignParams: { readonly campaign: string; readonly ad_group: string };
  readonly deeplinkUrl: string;
}

/** A touchpoint of the past, as the back-fill takes it (D5.5); `link` is the place in `links`. */
export interface SimulatedTouchpoint {
  readonly link: number;
  readonly touchpointId: string;
  readonly kind: "click" | "impression";
  readonly at: number;
  readonly ids: { readonly gaid?: string; readonly idfa?: string };
  readonly os: "Android" | "iOS";
}

interface SimulatedDevice {
  readonly id: string;
  readonly os: "Android" | "iOS";
  readonly osVersion?: string;
  readonly country?: string;
  readonly gaid?: string;
  readonly idfa?: string;
}

/** An app event as ingest takes it (D5.2). */
export interface SimulatedAppEvent {
  readonly eventId: string;
  readonly eventTimestamp: number;
  readonly category: string;
  readonly value?: number;
  readonly device: SimulatedDevice;
}

/** Somebody who opens a link for real while the simulation is pushed, and installs the app right after. */
export interface SimulatedVisit {
  readonly link: number;
  readonly userAgent: string;
  readonly installs: boolean;
  readonly install: Omit<SimulatedAppEvent, "eventTimestamp">;
}

export interface Simulation {
  readonly links: readonly SimulatedLink[];
  readonly touchpoints: readonly SimulatedTouchpoint[];
  /** In the order of time, a few of them twice: an SDK that tried again. */
  readonly appEvents: readonly SimulatedAppEvent[];
  readonly visits: readonly SimulatedVisit[];
  /** What a report over the whole simulation must say; visits are counted as they happen. */
  readonly truth: GroundTruth;
}

export interface SimulationPlan {
  readonly seed: number;
  /** Epoch milliseconds: the simulation ends a minute before. */
  readonly now: number;
  readonly timezone: string;
  readonly days: number;
  readonly devices: number;
  readonly visits: number;
}

/** None of a self-attributing network: what small months bring those is withheld (D7.7), and the truth says it all. */
const campaigns: readonly (readonly [channel: string, campaign: string, adGroup: string])[] = [
  ["appier", "autumn_sale", "lookalike"],
  ["appier", "retargeting", "cart_left"],
  ["naver.searchad", "brand", "exact"],
  ["kakao", "autumn_sale", "video"],
  ["newsletter", "week_45", "readers"],
  ["partner_blog", "review", "sidebar"],
];

const userAgents = {
  Android:
    "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Mobile Safari/537.36",
  iOS: "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1",
} as const;

const clickLookback = 7 * day;
const impressionLookback = day;

/**
 * A month of advertising, made from a seed: people see and click ads, some install, some of those buy. The ground truth
 * is kept beside it by a rule of one line, not by the platform's code: the last click within 7 days wins an install,
 * else the last impression within a day, else nobody.
 */
export function simulate(plan: SimulationPlan): Simulation {
  const random = seededRandom(plan.seed);
  const truth = groundTruth();
  const touchpoints: SimulatedTouchpoint[] = [];
  const appEvents: SimulatedAppEvent[] = [];
  const links = campaigns.map(([channel, campaign, adGroup], index) => ({
    channel,
    campaignParams: { campaign, ad_group: adGroup },
    deeplinkUrl: `https://shop.example/welcome/${index}`,
  }));

  for (let number = 0; number < plan.devices; number += 1) {
    const person = simulatePerson(random, plan, number);
    for (const touchpoint of person.touchpoints) {
      touchpoints.push(touchpoint);
      if (touchpoint.kind === "click") truth.click(localDate(plan.timezone, touchpoint.at), links[touchpoint.link]);
    }
    if (person.events.length === 0) continue;
    const winner = winnerOf(person.touchpoints, person.installedAt);
    for (const event of person.events) {
      appEvents.push(event);
      truth.event(
        localDate(plan.timezone, event.eventTimestamp),
        winner === null ? undefined : links[winner.link],
        event.category,
        event.value ?? 0,
      );
    }
  }

  appEvents.sort((one, other) => one.eventTimestamp - other.eventTimestamp);
  touchpoints.sort((one, other) => one.at - other.at);
  const retried = appEvents.filter(() => random.chance(0.01));
  const visits = Array.from({ length: plan.visits }, (_, number) => simulateVisit(random, links.length, number));
  return { links, touchpoints, appEvents: [...appEvents, ...retried], visits, truth };
}

interface Person {
  readonly touchpoints: readonly SimulatedTouchpoint[];
  readonly installedAt: number;
  readonly events: readonly SimulatedAppEvent[];
}

function simulatePerson(random: Random, plan: SimulationPlan, number: number): Person {
  const os = random.chance(0.6) ? "Android" : "iOS";
  const ids: SimulatedTouchpoint["ids"] =
    os === "Android" ? { gaid: random.uuid() } : { idfa: random.uuid().toUpperCase() };
  const end = plan.now - minute;
  const installedAt = end - Math.floor(random.next() * (plan.days - 1) * day);
  const touchpoints: SimulatedTouchpoint[] = [];
  if (!random.chance(0.25)) {
    for (let touches = random.whole(1, 4); touches > 0; touches -= 1) {
      const at = installedAt - 1_000 - Math.floor(random.next() ** 2 * 9 * day);
      if (at < end - plan.days * day) continue;
      const kind = random.chance(0.55) ? "click" : "impression";
      touchpoints.push({
        link: random.whole(0, campaigns.length - 1),
        touchpointId: random.uuid(),
        kind,
        at,
        ids,
        os,
      });
    }
  }

  const events: SimulatedAppEvent[] = [];
  if (random.chance(0.6)) {
    const device: SimulatedDevice = {
      id: `device-${plan.seed}-${number}`,
      os,
      osVersion: os === "Android" ? "14" : "17.5",
      country: random.pick(["KR", "US", "DE"]),
      ...ids,
    };
    events.push({ eventId: random.uuid(), eventTimestamp: installedAt, category: "app_install", device });
    for (let visits = random.whole(0, 5); visits > 0; visits -= 1) {
      const at = installedAt + minute + Math.floor(random.next() ** 2 * 14 * day);
      if (at > end) continue;
      events.push({ eventId: random.uuid(), eventTimestamp: at, category: "app_open", device });
      if (!random.chance(0.3)) continue;
      const paidAt = Math.min(at + 5 * minute, end);
      const value = random.whole(199, 9_999) / 100;
      events.push({
        eventId: random.uuid(),
        eventTimestamp: paidAt,
        category: "app_order_complete",
        value,
        device,
      });
    }
  }
  return { touchpoints, installedAt, events };
}

function winnerOf(touchpoints: readonly SimulatedTouchpoint[], installedAt: number): SimulatedTouchpoint | null {
  const latest = (kind: string, lookback: number): SimulatedTouchpoint | undefined =>
    touchpoints
      .filter((touchpoint) => touchpoint.kind === kind && installedAt - touchpoint.at <= lookback)
      .sort((one, other) => other.at - one.at)[0];
  return latest("click", clickLookback) ?? latest("impression", impressionLookback) ?? null;
}

function simulateVisit(random: Random, links: number, number: number): SimulatedVisit {
  const os = random.chance(0.6) ? "Android" : "iOS";
  return {
    link: random.whole(0, links - 1),
    userAgent: userAgents[os],
    installs: random.chance(0.5),
    install: {
      eventId: random.uuid(),
      category: "app_install",
      device: { id: `visitor-${number}-${random.uuid()}`, os },
    },
  };
}

import { dayMs, hourMs, minuteMs } from "../../domain/values/instants.ts";
import { localDate, localTime } from "../../domain/values/local-time.ts";
import { type GroundTruth, groundTruth } from "./ground-truth.ts";
import { type Random, seededRandom } from "./random.ts";

/** Body of a link to create (contract/tracking-links.md#creating). */
export interface SimulatedLink {
  readonly channel: string;
  readonly campaignParams: { readonly campaign: string; readonly ad_group: string };
  readonly deeplinkUrl: string;
}

/**
 * A past touchpoint for the back-fill (contract/ingest.md#touchpoints); `link` is an index of `links`.
 */
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

/** An app event for ingest (contract/ingest.md#event-fields). */
export interface SimulatedAppEvent {
  readonly eventId: string;
  readonly eventTimestamp: number;
  readonly category: string;
  readonly value?: number;
  readonly device: SimulatedDevice;
}

/** A visit that opens a link over HTTP while the simulation is pushed, and may install the app right after. */
export interface SimulatedVisit {
  readonly link: number;
  readonly userAgent: string;
  readonly installs: boolean;
  readonly install: Omit<SimulatedAppEvent, "eventTimestamp">;
}

export interface Simulation {
  readonly links: readonly SimulatedLink[];
  readonly touchpoints: readonly SimulatedTouchpoint[];
  /** In the order of time, then a few repeated ones, as by an SDK that retries. */
  readonly appEvents: readonly SimulatedAppEvent[];
  readonly visits: readonly SimulatedVisit[];
  /** The expected report over the whole simulation; visits are added as they happen. */
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

interface Campaign {
  readonly channel: string;
  readonly campaign: string;
  readonly adGroup: string;
  /** Share of its touchpoints that are clicks. */
  readonly clicks: number;
  /** Share of its touchpoints that lead to an install within two hours. */
  readonly prompt: number;
  /** Added to the interest, in log odds, of people it reaches. */
  readonly liking: number;
}

/**
 * Without self-attributing networks, whose small counts are masked (contract/reports.md#masking), unlike the ground truth.
 */
const campaigns: readonly Campaign[] = [
  { channel: "appier", campaign: "autumn_sale", adGroup: "lookalike", clicks: 0.35, prompt: 0.15, liking: -0.6 },
  { channel: "appier", campaign: "retargeting", adGroup: "cart_left", clicks: 0.75, prompt: 0.6, liking: 0.6 },
  { channel: "naver.searchad", campaign: "brand", adGroup: "exact", clicks: 0.9, prompt: 0.8, liking: 0.9 },
  { channel: "kakao", campaign: "autumn_sale", adGroup: "video", clicks: 0.15, prompt: 0.1, liking: -0.9 },
  { channel: "newsletter", campaign: "week_45", adGroup: "readers", clicks: 0.7, prompt: 0.4, liking: 0.3 },
  { channel: "partner_blog", campaign: "review", adGroup: "sidebar", clicks: 0.45, prompt: 0.25, liking: -0.2 },
];

const userAgents = {
  Android:
    "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Mobile Safari/537.36",
  iOS: "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1",
} as const;

const clickLookback = 7 * dayMs;
const impressionLookback = dayMs;
/** The time that the labels of training depend on (contract/prediction.md#training). */
const earlyDays = 3 * dayMs;

/**
 * A month of advertising, determined by a seed: people see and click ads, some install, some of those buy. The ground
 * truth follows from one simple rule, independent of the platform's code: the last click within 7 days wins an install,
 * else the last impression within a day, else it is unattributed. Whether somebody buys early or leaves depends on the
 * channels and touchpoints before the install, so that training on the log can find it (contract/prediction.md#training).
 */
export function simulate(plan: SimulationPlan): Simulation {
  const random = seededRandom(plan.seed);
  const truth = groundTruth();
  const touchpoints: SimulatedTouchpoint[] = [];
  const appEvents: SimulatedAppEvent[] = [];
  const links = campaigns.map(({ channel, campaign, adGroup }, index) => ({
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
  const end = plan.now - minuteMs;
  const installedAt = end - Math.floor(random.next() * (plan.days - 1) * dayMs);
  const touchpoints: SimulatedTouchpoint[] = [];
  if (!random.chance(0.25)) {
    for (let touches = random.whole(1, 4); touches > 0; touches -= 1) {
      const link = random.whole(0, campaigns.length - 1);
      const isPrompt = random.chance(campaigns[link]?.prompt ?? 0);
      const ago = isPrompt ? random.next() * 2 * hourMs : random.next() ** 2 * 9 * dayMs;
      const at = installedAt - 1_000 - Math.floor(ago);
      if (at < end - plan.days * dayMs) continue;
      const kind = random.chance(campaigns[link]?.clicks ?? 0) ? "click" : "impression";
      touchpoints.push({ link, touchpointId: random.uuid(), kind, at, ids, os });
    }
  }
  if (!random.chance(0.6)) return { touchpoints, installedAt, events: [] };

  const device: SimulatedDevice = {
    id: `device-${plan.seed}-${number}`,
    os,
    osVersion: os === "Android" ? "14" : "17.5",
    country: random.pick(["KR", "US", "DE"]),
    ...ids,
  };
  const interest = interestOf(touchpoints, { os, at: installedAt, hour: localTime(plan.timezone, installedAt).hour });
  const later = simulateUse(random, installedAt, interest).filter(({ at }) => at <= end);
  const install = { eventId: random.uuid(), eventTimestamp: installedAt, category: "app_install", device };
  const events = later.map(({ at, category, value }) => ({
    eventId: random.uuid(),
    eventTimestamp: at,
    category,
    ...(value === undefined ? {} : { value }),
    device,
  }));
  return { touchpoints, installedAt, events: [install, ...events] };
}

/**
 * Interest in the shop, in log odds: depends on channels, kinds and recency of touchpoints, the phone and the hour.
 */
function interestOf(
  touchpoints: readonly SimulatedTouchpoint[],
  install: { readonly os: string; readonly at: number; readonly hour: number },
): number {
  let interest = install.os === "iOS" ? 0.5 : -0.4;
  if (install.hour >= 18) interest += 0.6;
  if (install.hour < 6) interest -= 0.8;
  if (touchpoints.length === 0) return interest - 0.2;
  const clicks = touchpoints.filter(({ kind }) => kind === "click");
  interest += clicks.length === 0 ? -1.5 : 0.8 * Math.min(clicks.length - 1, 2);
  const latest = touchpoints.reduce((last, { at }) => Math.max(last, at), 0);
  if (install.at - latest < hourMs) interest += 1.2;
  if (install.at - latest > dayMs) interest -= 1.2;
  const likings = touchpoints.map(({ link }) => campaigns[link]?.liking ?? 0);
  return interest + likings.reduce((sum, liking) => sum + liking, 0) / likings.length;
}

interface Use {
  readonly at: number;
  readonly category: "app_open" | "app_order_complete";
  readonly value?: number;
}

/** Events after an install: people with high interest buy early, others leave early. */
function simulateUse(random: Random, installedAt: number, interest: number): readonly Use[] {
  const used: Use[] = [];
  const open = (from: number, to: number, orders: number): void => {
    const at = installedAt + from + Math.floor(random.next() * (to - from));
    used.push({ at, category: "app_open" });
    if (!random.chance(orders)) return;
    used.push({ at: at + 5 * minuteMs, category: "app_order_complete", value: random.whole(199, 9_999) / 100 });
  };
  const buysEarly = random.chance(logistic(1.5 * interest - 1.4));
  const stays = random.chance(logistic(1.5 * interest + 0.4));
  const lastEarly = earlyDays - 10 * minuteMs;
  if (buysEarly) open(minuteMs, lastEarly, 1);
  for (let visits = random.whole(0, 2); visits > 0; visits -= 1) open(minuteMs, lastEarly, 0);
  if (!stays) return used;
  open(earlyDays + hourMs, 9 * dayMs, 0.2);
  for (let visits = random.whole(0, 3); visits > 0; visits -= 1) open(earlyDays + hourMs, 14 * dayMs, 0.3);
  return used;
}

function logistic(logOdds: number): number {
  return 1 / (1 + Math.exp(-logOdds));
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

import { defaultRules } from "./default-rules.ts";
import { durationSeconds, durationText } from "./duration.ts";
import type { AttributionRules, LookbackWindows } from "./events.ts";

interface WrittenWindow {
  readonly device: string;
  readonly probabilistic: string;
}

interface WrittenWindows {
  readonly click: WrittenWindow;
  readonly impression: WrittenWindow;
}

/** Rules in their API format (contract/administration.md#attribution-rules): durations are texts. */
export interface WrittenRules extends WrittenWindows {
  readonly attributionWindow: string;
  readonly channels: { readonly [channel: string]: WrittenWindows };
}

interface PartialWindows {
  readonly click?: Partial<WrittenWindow>;
  readonly impression?: Partial<WrittenWindow>;
}

/** The same with optional fields; texts are valid durations (see {@link durationSeconds}). */
export interface PartialRules extends PartialWindows {
  readonly attributionWindow?: string;
  readonly channels?: { readonly [channel: string]: PartialWindows };
}

/** The complete rules: missing windows of a channel default to those for all channels, other fields to the defaults. */
export function readRules(written: PartialRules): AttributionRules {
  const own = readWindows(written, defaultRules);
  const { attributionWindow, channels = {} } = written;
  return {
    ...own,
    attributionWindow: readDuration(attributionWindow, defaultRules.attributionWindow),
    channels: Object.fromEntries(Object.entries(channels).map(([name, windows]) => [name, readWindows(windows, own)])),
  };
}

export function writeRules(rules: AttributionRules): WrittenRules {
  return {
    ...writeWindows(rules),
    attributionWindow: durationText(rules.attributionWindow),
    channels: Object.fromEntries(
      Object.entries(rules.channels).map(([name, windows]) => [name, writeWindows(windows)]),
    ),
  };
}

function readWindows({ click, impression }: PartialWindows, fallback: LookbackWindows): LookbackWindows {
  return { click: readWindow(click, fallback.click), impression: readWindow(impression, fallback.impression) };
}

function readWindow(
  window: Partial<WrittenWindow> | undefined,
  fallback: LookbackWindows["click"],
): LookbackWindows["click"] {
  return {
    device: readDuration(window?.device, fallback.device),
    probabilistic: readDuration(window?.probabilistic, fallback.probabilistic),
  };
}

function readDuration(text: string | undefined, fallback: number): number {
  if (text === undefined) return fallback;
  const seconds = durationSeconds(text);
  if (seconds === null) throw new Error(`${text} is no duration of rules`);
  return seconds;
}

function writeWindows({ click, impression }: LookbackWindows): WrittenWindows {
  return { click: writeWindow(click), impression: writeWindow(impression) };
}

function writeWindow({ device, probabilistic }: LookbackWindows["click"]): WrittenWindow {
  return { device: durationText(device), probabilistic: durationText(probabilistic) };
}

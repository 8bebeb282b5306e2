import { defaultRules } from "./default-rules.ts";
import { durationSeconds, durationText } from "./duration.ts";
import type { AttributionRules, LookbackWindows } from "./events.ts";

interface FormattedWindow {
  readonly device: string;
  readonly probabilistic: string;
}

interface FormattedWindows {
  readonly click: FormattedWindow;
  readonly impression: FormattedWindow;
}

/** Rules in their API format (contract/administration.md#attribution-rules): durations are texts. */
export interface FormattedRules extends FormattedWindows {
  readonly attributionWindow: string;
  readonly channels: { readonly [channel: string]: FormattedWindows };
}

interface PartialWindows {
  readonly click?: Partial<FormattedWindow>;
  readonly impression?: Partial<FormattedWindow>;
}

/** The same with optional fields; texts are valid durations (see {@link durationSeconds}). */
export interface PartialRules extends PartialWindows {
  readonly attributionWindow?: string;
  readonly channels?: { readonly [channel: string]: PartialWindows };
}

/**
 * Parses rules and completes them: missing windows of a channel default to those for all channels, other fields to the
 * defaults.
 */
export function parseRules(formatted: PartialRules): AttributionRules {
  const own = parseWindows(formatted, defaultRules);
  const { attributionWindow, channels = {} } = formatted;
  return {
    ...own,
    attributionWindow: parseDuration(attributionWindow, defaultRules.attributionWindow),
    channels: Object.fromEntries(Object.entries(channels).map(([name, windows]) => [name, parseWindows(windows, own)])),
  };
}

/** Formats rules, as responses show them. */
export function formatRules(rules: AttributionRules): FormattedRules {
  return {
    ...formatWindows(rules),
    attributionWindow: durationText(rules.attributionWindow),
    channels: Object.fromEntries(
      Object.entries(rules.channels).map(([name, windows]) => [name, formatWindows(windows)]),
    ),
  };
}

function parseWindows({ click, impression }: PartialWindows, fallback: LookbackWindows): LookbackWindows {
  return { click: parseWindow(click, fallback.click), impression: parseWindow(impression, fallback.impression) };
}

function parseWindow(
  window: Partial<FormattedWindow> | undefined,
  fallback: LookbackWindows["click"],
): LookbackWindows["click"] {
  return {
    device: parseDuration(window?.device, fallback.device),
    probabilistic: parseDuration(window?.probabilistic, fallback.probabilistic),
  };
}

function parseDuration(text: string | undefined, fallback: number): number {
  if (text === undefined) return fallback;
  const seconds = durationSeconds(text);
  if (seconds === null) throw new Error(`${text} is no duration of rules`);
  return seconds;
}

function formatWindows({ click, impression }: LookbackWindows): FormattedWindows {
  return { click: formatWindow(click), impression: formatWindow(impression) };
}

function formatWindow({ device, probabilistic }: LookbackWindows["click"]): FormattedWindow {
  return { device: durationText(device), probabilistic: durationText(probabilistic) };
}

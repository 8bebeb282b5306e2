import type { AttributionRules } from "./events.ts";

const hour = 60 * 60;
const day = 24 * hour;

/** The rules of an app that has set none (contract/administration.md#attribution-rules), in seconds. */
export const defaultRules: AttributionRules = {
  click: { device: 7 * day, probabilistic: 24 * hour },
  impression: { device: 24 * hour, probabilistic: 6 * hour },
  attributionWindow: 30 * day,
  channels: {},
};

import fc from "fast-check";
import { suite } from "uvu";
import { appControls } from "../../../domain/apps/app-controls.ts";
import type { AppStreamEvent, ContextSwitched, UploadedMetricEvent } from "../../../domain/apps/events.ts";
import { defaultRules } from "../../../domain/attribution/default-rules.ts";
import type { AttributionRules } from "../../../domain/attribution/events.ts";
import { addRules, assertDecidesOnce } from "../../support/decider-specification.ts";

const event = (type: UploadedMetricEvent["type"], eventCategory = "visits"): UploadedMetricEvent => ({
  type,
  data: { appId: 1, eventCategory },
});
const archived = event("UploadedMetricArchived");
const restored = event("UploadedMetricRestored");
const archive = (isArchived: boolean, eventCategory = "visits", isUploaded = true) =>
  ({ type: "SetUploadedMetricArchived", appId: 1, eventCategory, archived: isArchived, isUploaded }) as const;
const notFound = { rejected: "UPLOADED_METRIC_NOT_FOUND" } as const;

const archiving = suite("archiving an uploaded metric");

addRules(archiving, appControls, [
  ["hides it", [], archive(true), [archived]],
  ["restores it", [archived], archive(false), [restored]],
  ["hides it again", [archived, restored], archive(true), [archived]],
  ["decides nothing for one that was never archived", [], archive(false), []],
  ["decides nothing for an archived one", [archived], archive(true), []],
  ["decides nothing for a restored one", [archived, restored], archive(false), []],
  ["is case-sensitive", [archived], archive(true, "Visits"), [event("UploadedMetricArchived", "Visits")]],
  ["leaves other metrics", [archived], archive(false, "calls"), []],
  ["rejects a metric that the app never uploaded", [], archive(true, "visits", false), notFound],
  ["rejects restoring a metric that the app never uploaded", [], archive(false, "visits", false), notFound],
]);

archiving("decides twice as once", () => {
  const command = fc.tuple(fc.boolean(), fc.constantFrom("visits", "calls")).map((change) => archive(...change));
  assertDecidesOnce(appControls, command);
});

archiving.run();

const rules = (attributionWindow: number, channels: AttributionRules["channels"] = {}): AttributionRules => {
  return { ...defaultRules, attributionWindow, channels };
};
const changedTo = (to: AttributionRules): AppStreamEvent => {
  return { type: "AttributionRulesChanged", data: { appId: 1, rules: to } };
};
const change = (to: AttributionRules) =>
  ({ type: "ChangeAttributionRules", appId: 1, rules: to, defaultRules }) as const;
const { click, impression } = defaultRules;
const [one, other] = [
  { click, impression },
  { click: impression, impression: click },
];
const otherWindows = [
  { click: { ...click, device: 1 } },
  { click: { ...click, probabilistic: 1 } },
  { impression: { ...impression, device: 1 } },
  { impression: { ...impression, probabilistic: 1 } },
];
const ofChannels = changedTo(rules(60, { a: one, b: other }));

const changing = suite("changing attribution rules");

addRules(changing, appControls, [
  ["stores the whole rules", [], change(rules(60)), [changedTo(rules(60))]],
  ["stores the default rules", [changedTo(rules(60))], change(defaultRules), [changedTo(defaultRules)]],
  ["decides nothing for the default rules at first", [], change(defaultRules), []],
  ["ignores the order of channels", [ofChannels, archived], change(rules(60, { b: other, a: one })), []],
  ...[{ a: one }, { a: other, b: other }, { a: one, c: other }].map((channels) => {
    const to = rules(60, channels);
    return [`stores other channels: ${JSON.stringify(channels)}`, [ofChannels], change(to), [changedTo(to)]] as const;
  }),
  ...otherWindows.map((windows) => {
    const to = { ...rules(60, { a: one, b: other }), ...windows };
    return [`stores another window: ${JSON.stringify(windows)}`, [ofChannels], change(to), [changedTo(to)]] as const;
  }),
  ...otherWindows.map((windows) => {
    const to = rules(60, { a: { ...one, ...windows }, b: other });
    const title = `stores another window of a channel: ${JSON.stringify(windows)}`;
    return [title, [ofChannels], change(to), [changedTo(to)]] as const;
  }),
]);

changing.run();

const switched = (type: ContextSwitched["type"]): ContextSwitched => ({ type, data: { appId: 1 } });
const [off, on] = [switched("ContextDeactivated"), switched("ContextActivated")];
const switchTo = (active: boolean) => ({ type: "SwitchContext", appId: 1, active }) as const;

const context = suite("context prediction of an app");

addRules(context, appControls, [
  ["can be switched off", [], switchTo(false), [off]],
  ["can be switched on again", [off], switchTo(true), [on]],
  ["can be switched off again", [off, on], switchTo(false), [off]],
  ["is on from the start", [], switchTo(true), []],
  ["is switched off once", [off], switchTo(false), []],
]);

context.run();

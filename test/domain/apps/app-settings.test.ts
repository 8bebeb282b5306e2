import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { appSettings } from "../../../domain/apps/app-settings.ts";
import type { AppEvent, ContextSwitched, UploadedMetricEvent } from "../../../domain/apps/events.ts";
import { defaultRules } from "../../../domain/attribution/default-rules.ts";
import type { AttributionRules } from "../../../domain/attribution/events.ts";
import { fold, isRejection } from "../../../domain/decider.ts";

const event = (type: UploadedMetricEvent["type"], eventCategory = "visits"): UploadedMetricEvent => ({
  type,
  data: { appId: 1, eventCategory },
});
const archived = event("UploadedMetricArchived");
const restored = event("UploadedMetricRestored");

const decide = (given: readonly AppEvent[], isArchived: boolean, eventCategory = "visits", isUploaded = true) =>
  appSettings.decide(
    { type: "SetUploadedMetricArchived", appId: 1, eventCategory, archived: isArchived, isUploaded },
    fold(appSettings, given),
  );

const archiving = suite("archiving an uploaded metric");

archiving("hides it, and shows it again", () => {
  assert.equal(decide([], true), [archived]);
  assert.equal(decide([archived], false), [restored]);
  assert.equal(decide([archived, restored], true), [archived]);
});

archiving("says nothing of what is so already", () => {
  assert.equal(decide([], false), []);
  assert.equal(decide([archived], true), []);
  assert.equal(decide([archived, restored], false), []);
});

archiving("leaves other metrics, also of the same name in other letters", () => {
  assert.equal(decide([archived], true, "Visits"), [event("UploadedMetricArchived", "Visits")]);
  assert.equal(decide([archived], false, "calls"), []);
});

archiving("refuses what the app has never uploaded", () => {
  assert.equal(decide([], true, "visits", false), { rejected: "UPLOADED_METRIC_NOT_FOUND" });
  assert.equal(decide([], false, "visits", false), { rejected: "UPLOADED_METRIC_NOT_FOUND" });
});

archiving("decides twice as once", () => {
  const command = fc.record({ archived: fc.boolean(), eventCategory: fc.constantFrom("visits", "calls") });
  fc.assert(
    fc.property(command, fc.array(command), (last, before) => {
      let given: readonly AppEvent[] = [];
      for (const one of [...before, last]) {
        const decided = decide(given, one.archived, one.eventCategory);
        if (!isRejection(decided)) given = [...given, ...decided];
      }
      assert.equal(decide(given, last.archived, last.eventCategory), []);
    }),
  );
});

archiving.run();

const rules = (attributionWindow: number, channels: AttributionRules["channels"] = {}): AttributionRules => ({
  ...defaultRules,
  attributionWindow,
  channels,
});
const changedTo = (to: AttributionRules): AppEvent => ({
  type: "AttributionRulesChanged",
  data: { appId: 1, rules: to },
});
const change = (given: readonly AppEvent[], to: AttributionRules) =>
  appSettings.decide({ type: "ChangeAttributionRules", appId: 1, rules: to, defaultRules }, fold(appSettings, given));

const changing = suite("changing attribution rules");

changing("says the whole rules, whatever they were", () => {
  assert.equal(change([], rules(60)), [changedTo(rules(60))]);
  assert.equal(change([changedTo(rules(60))], defaultRules), [changedTo(defaultRules)]);
});

changing("says nothing of what is so already, the defaults included and the channels in any order", () => {
  const { click, impression } = defaultRules;
  const [one, other] = [
    { click, impression },
    { click: impression, impression: click },
  ];
  assert.equal(change([], defaultRules), []);
  assert.equal(change([changedTo(rules(60, { a: one, b: other })), archived], rules(60, { b: other, a: one })), []);
  for (const channels of [{ a: one }, { a: other, b: other }, { a: one, c: other }]) {
    const to = rules(60, channels);
    assert.equal(change([changedTo(rules(60, { a: one, b: other }))], to), [changedTo(to)]);
  }
});

changing.run();

const switched = (type: ContextSwitched["type"]): ContextSwitched => ({ type, data: { appId: 1 } });
const switchTo = (given: readonly AppEvent[], active: boolean) =>
  appSettings.decide({ type: "SwitchContext", appId: 1, active }, fold(appSettings, given));

const context = suite("context prediction of an app");

context("is on from the start, and can be switched off and on again", () => {
  const [off, on] = [switched("ContextDeactivated"), switched("ContextActivated")];
  assert.equal(switchTo([], false), [off]);
  assert.equal(switchTo([off], true), [on]);
  assert.equal(switchTo([off, on], false), [off]);
});

context("says nothing of what is so already", () => {
  assert.equal(switchTo([], true), []);
  assert.equal(switchTo([switched("ContextDeactivated")], false), []);
});

context.run();

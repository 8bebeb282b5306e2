import fc from "fast-check";
import { suite } from "uvu";
import { appSettings } from "../../../domain/apps/app-settings.ts";
import type { AppEvent, ContextSwitched, UploadedMetricEvent } from "../../../domain/apps/events.ts";
import { defaultRules } from "../../../domain/attribution/default-rules.ts";
import type { AttributionRules } from "../../../domain/attribution/events.ts";
import { assertDecidesOnce, specification } from "../../support/specification.ts";

const event = (type: UploadedMetricEvent["type"], eventCategory = "visits"): UploadedMetricEvent => ({
  type,
  data: { appId: 1, eventCategory },
});
const archived = event("UploadedMetricArchived");
const restored = event("UploadedMetricRestored");

const { given } = specification(appSettings);
const archive = (isArchived: boolean, eventCategory = "visits", isUploaded = true) =>
  ({ type: "SetUploadedMetricArchived", appId: 1, eventCategory, archived: isArchived, isUploaded }) as const;

const archiving = suite("archiving an uploaded metric");

archiving("hides it, and shows it again", () => {
  given().when(archive(true)).then([archived]);
  given(archived).when(archive(false)).then([restored]);
  given(archived, restored).when(archive(true)).then([archived]);
});

archiving("decides nothing when unchanged", () => {
  given().when(archive(false)).then([]);
  given(archived).when(archive(true)).then([]);
  given(archived, restored).when(archive(false)).then([]);
});

archiving("leaves other metrics, also of the same name in other letters", () => {
  given(archived)
    .when(archive(true, "Visits"))
    .then([event("UploadedMetricArchived", "Visits")]);
  given(archived).when(archive(false, "calls")).then([]);
});

archiving("refuses what the app has never uploaded", () => {
  given()
    .when(archive(true, "visits", false))
    .then({ rejected: "UPLOADED_METRIC_NOT_FOUND" });
  given()
    .when(archive(false, "visits", false))
    .then({ rejected: "UPLOADED_METRIC_NOT_FOUND" });
});

archiving("decides twice as once", () => {
  const command = fc.tuple(fc.boolean(), fc.constantFrom("visits", "calls")).map((change) => archive(...change));
  assertDecidesOnce(appSettings, command);
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
const change = (to: AttributionRules) =>
  ({ type: "ChangeAttributionRules", appId: 1, rules: to, defaultRules }) as const;

const changing = suite("changing attribution rules");

changing("stores the whole rules", () => {
  given()
    .when(change(rules(60)))
    .then([changedTo(rules(60))]);
  given(changedTo(rules(60)))
    .when(change(defaultRules))
    .then([changedTo(defaultRules)]);
});

changing("decides nothing for the same rules, the defaults included and the channels in any order", () => {
  const { click, impression } = defaultRules;
  const [one, other] = [
    { click, impression },
    { click: impression, impression: click },
  ];
  given().when(change(defaultRules)).then([]);
  given(changedTo(rules(60, { a: one, b: other })), archived)
    .when(change(rules(60, { b: other, a: one })))
    .then([]);
  for (const channels of [{ a: one }, { a: other, b: other }, { a: one, c: other }]) {
    const to = rules(60, channels);
    given(changedTo(rules(60, { a: one, b: other })))
      .when(change(to))
      .then([changedTo(to)]);
  }
});

changing.run();

const switched = (type: ContextSwitched["type"]): ContextSwitched => ({ type, data: { appId: 1 } });
const switchTo = (active: boolean) => ({ type: "SwitchContext", appId: 1, active }) as const;

const context = suite("context prediction of an app");

context("is on from the start, and can be switched off and on again", () => {
  const [off, on] = [switched("ContextDeactivated"), switched("ContextActivated")];
  given().when(switchTo(false)).then([off]);
  given(off).when(switchTo(true)).then([on]);
  given(off, on).when(switchTo(false)).then([off]);
});

context("decides nothing when unchanged", () => {
  given().when(switchTo(true)).then([]);
  given(switched("ContextDeactivated")).when(switchTo(false)).then([]);
});

context.run();

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { rawExportTypes, validateRawExport } from "../../../../domain/raw-exports/export-query.ts";
import { rawExportMetadata } from "../../../../domain/raw-exports/metadata.ts";
import { rawExportProperties } from "../../../../domain/raw-exports/properties.ts";
import { activeUsersMetadata } from "../../../../domain/reporting/active-users/metadata.ts";
import { validateActiveUsersQuery } from "../../../../domain/reporting/active-users/query.ts";
import { customMetrics, metricGroups } from "../../../../domain/reporting/catalogue/catalogue.ts";
import { groupByGroups } from "../../../../domain/reporting/catalogue/group-bys.ts";
import type { FieldGroup, Named } from "../../../../domain/reporting/catalogue/query-metadata.ts";
import { retentionMetadata } from "../../../../domain/reporting/retention/metadata.ts";
import { measurementOptions, validateRetentionQuery } from "../../../../domain/reporting/retention/query.ts";
import { returnEventKeys, startCategories } from "../../../../domain/reporting/return-events.ts";
import { revenueMetadata } from "../../../../domain/reporting/revenue/metadata.ts";
import {
  revenueMetrics,
  revenueStartEvents,
  validateRevenueQuery,
} from "../../../../domain/reporting/revenue/query.ts";
import { languages, type Translated } from "../../../../domain/values/language.ts";

type Field = Named & { readonly [more: string]: unknown };

const today = "2026-03-04";
const range = { from: today, to: today, filters: [] };
const everyMetadata = [retentionMetadata, revenueMetadata, activeUsersMetadata, rawExportMetadata];
const fieldsIn = (groups: readonly FieldGroup<Named>[]) =>
  groups.flatMap(({ fields }) => fields as readonly unknown[]) as readonly Field[];
const keysOf = (fields: readonly Field[]): string[] => fields.map(({ key }) => key);
const keysWith = (groups: readonly FieldGroup<Named>[], flag: string): string[] =>
  keysOf(fieldsIn(groups).filter((field) => field[flag] === true));

const metadata = suite("the metadata of queries");

metadata("lists each key once, and the parent of each group", () => {
  for (const { fields, events, metrics, granularities, limits } of everyMetadata) {
    for (const keys of [...[fields, events, metrics].map((list) => keysOf(fieldsIn(list))), keysOf(limits as never)]) {
      assert.equal([...new Set(keys)], keys);
    }
    assert.equal(keysOf(granularities as never).length % 5, 0);
    const groups = [...fields, ...events, ...metrics];
    const names: readonly (Translated | null)[] = [null, ...groups.map(({ groupName }) => groupName)];
    for (const { parentGroupName } of groups) {
      assert.ok(names.some((name) => name?.en === parentGroupName?.en) || parentGroupName?.en === "App events");
    }
  }
});

metadata("lists the start and return events of cohorts, all of which are accepted", () => {
  const returns = [...returnEventKeys, "custom:<name>"].sort();
  for (const { events } of [retentionMetadata, revenueMetadata]) {
    assert.equal(keysWith(events, "serveToReturn").sort(), returns);
  }
  assert.equal(keysWith(retentionMetadata.events, "serveToStart").sort(), Object.keys(startCategories).sort());
  assert.equal(keysWith(revenueMetadata.events, "serveToStart").sort(), [...revenueStartEvents].sort());
  const fields = keysOf(fieldsIn(retentionMetadata.fields));
  const sorts = [...fields, ...keysWith(retentionMetadata.metrics, "serveToSort")].map((fieldName) => {
    return { fieldName, isAscending: true };
  });
  const filters = fields.map((field) => ({ field, filterType: "EXIST" as const }));
  const shared = { ...range, filters, groupBy: { fields }, granularity: "day", returnEvents: returns } as const;
  for (const measurementOption of measurementOptions) {
    const requested = { ...shared, startEvent: Object.keys(startCategories) as never, measurementOption, sorts };
    assert.is(validateRetentionQuery(requested, today).outcome, "valid");
  }
});

metadata("lists the metrics of revenue with their aggregations, all others being refused", () => {
  const requestable = fieldsIn(revenueMetadata.metrics).filter(({ key }) => revenueMetrics.includes(key as never));
  assert.equal(keysOf(requestable), [...revenueMetrics]);
  const sortable = keysWith(revenueMetadata.metrics, "serveToSort");
  for (const { key, aggregationTypes } of requestable) {
    for (const aggregationType of ["cumulative", "on-day"] as const) {
      const metric = key as (typeof revenueMetrics)[number];
      const sorts = sortable
        .filter((name) => name === metric || name.startsWith("total"))
        .map((fieldName) => ({ fieldName, isAscending: false }));
      const cohort = { startEvents: revenueStartEvents, returnEvents: ["app_open"], groupBy: { fields: [] }, sorts };
      const requested = { ...range, ...cohort, granularity: "day", metric, aggregationType } as const;
      const isListed = (aggregationTypes as readonly string[]).includes(aggregationType);
      assert.is(validateRevenueQuery(requested, today).outcome, isListed ? "valid" : "invalid", key);
    }
  }
});

metadata("lists the metrics of active users, and the events that each counts", () => {
  const metrics = keysOf(fieldsIn(activeUsersMetadata.metrics));
  const requested = { ...range, granularity: "day", metrics, groupBy: { fields: [] } } as const;
  assert.is(validateActiveUsersQuery(requested, today).outcome, "valid");
  assert.equal(
    fieldsIn(activeUsersMetadata.events).map((event) => [event.key, event.metrics]),
    [
      ["app_events", ["app_au", "app_arpu"]],
      ["app_order_complete", ["app_pu", "app_arpu", "app_arppu", "app_revenue"]],
      ["app_order_cancel", ["app_arpu", "app_arppu", "app_revenue"]],
      ["app_subscribe", ["app_pu", "app_arpu", "app_arppu", "app_revenue"]],
    ],
  );
});

metadata("lists the properties of exports, and the events of each type", () => {
  const properties = keysOf(fieldsIn(rawExportMetadata.fields));
  assert.equal([...properties].sort(), Object.keys(rawExportProperties).sort());
  const dateRange = { start: `${today} 00:00:00`, end: `${today} 23:59:59` };
  const filters = properties.map((field) => ({ field, filterType: "EXIST" as const }));
  for (const type of rawExportTypes) {
    for (const { key, types } of fieldsIn(rawExportMetadata.events)) {
      const { outcome } = validateRawExport(type, { dateRange, events: [key], properties, filters }, today);
      assert.is(outcome, (types as readonly string[]).includes(type) ? "valid" : "invalid", `${type} ${key}`);
    }
  }
});

metadata("has its texts in the letters of each language, but for names that are the same everywhere", () => {
  const texts = textsIn([everyMetadata, metricGroups, groupByGroups, customMetrics]);
  assert.ok(texts.length > 500);
  for (const { en, ko, ja } of texts) {
    assert.not.match(en, /[^\x20-\x7e]/, en);
    if (["CTR", "CPI", "CPC", "CPM", "ROAS", "ARPU", "ARPPU"].includes(en)) {
      assert.equal([ko, ja], [en, en]);
      continue;
    }
    assert.match(ko, /\p{Script=Hangul}/u, en);
    assert.match(ja, /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u, en);
    assert.not.match(ko, /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u, en);
    assert.not.match(ja, /\p{Script=Hangul}/u, en);
  }
});

function textsIn(value: unknown): readonly Translated[] {
  if (typeof value !== "object" || value === null) return [];
  if (languages.every((language) => language in value)) return [value as Translated];
  return Object.values(value).flatMap(textsIn);
}

metadata.run();

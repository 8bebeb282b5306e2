import { suite } from "uvu";
import * as assert from "uvu/assert";
import { writeReportData } from "../../../bench/support/report-data.ts";
import { reportApp } from "../../../bench/support/report-dimensions.ts";
import type { AppEventRecorded } from "../../../domain/app-events/events.ts";
import type { StoredEvent } from "../../../domain/event-catalogue.ts";
import type { TouchpointEvent } from "../../../domain/touchpoints/events.ts";
import { campaignParamsOf } from "../../../domain/values/campaign-params.ts";
import { shopRegistered } from "../../examples/app.ts";
import { anInstall } from "../../examples/app-events.ts";
import { unattributed, wonBy } from "../../examples/decisions.ts";
import { recordedAt } from "../../examples/recorded-log.ts";
import { aClick, anImpression } from "../../examples/touchpoints.ts";
import { createFacts, openTestDatabase } from "../../projections/facts/facts-tables.ts";

const db = await openTestDatabase();
const facts = await createFacts(db);
const generated = "generated";
const size = { devices: 40, appEvents: 1_500, touchpoints: 120 };

const data = suite("the data that reports are measured on");

data.before(() => db.transaction((trx) => writeReportData(trx, generated, size)));
data.after(() => db.destroy());

data("are what the projection writes of the same events", async () => {
  await facts.apply(await eventsBehind());
  for (const table of ["apps", "touchpoints", "app_events"]) {
    assert.equal(await generatedRows(table), await facts.rows(table), table);
  }
  for (const [table, key] of [
    ["sources", "source_key"],
    ["clients", "client_key"],
  ] as const) {
    const projected = await facts.rows(table);
    const known = new Set(projected.map((row) => row[key]));
    assert.equal(
      (await generatedRows(table)).filter((row) => known.has(row[key])),
      projected,
      table,
    );
  }
});

data("have the requested size", async () => {
  assert.is((await generatedRows("app_events")).length, size.appEvents);
  assert.is((await generatedRows("touchpoints")).length, size.touchpoints);
});

data.run();

type Row = { readonly [column: string]: never };

async function generatedRows(table: string): Promise<readonly Row[]> {
  const { rows } = await db.raw<{ rows: Row[] }>(
    `select * from ${generated}.${table} order by ${orders[table as keyof typeof orders]}`,
  );
  return rows.map((row) => ({ ...row }));
}

const orders = {
  apps: "app_id",
  sources: "app_id, source_key",
  clients: "app_id, client_key",
  touchpoints: "app_id, touchpoint_id",
  app_events: "app_id, event_id, from_position",
};

/** The log that would have given these rows: each target event is decided right after it. */
async function eventsBehind() {
  const touchpoints = await joined("touchpoints", "position", "null");
  const appEvents = await joined("app_events", "from_position", userNumber);
  const clicks = new Map<string, TouchpointEvent>();
  const { timezone, currency } = reportApp;
  const registered: StoredEvent = { ...shopRegistered, data: { ...shopRegistered.data, timezone, currency } };
  const log: { readonly position: bigint; readonly event: StoredEvent }[] = [{ position: 1n, event: registered }];
  for (const row of touchpoints) {
    const event = touchpointOf(row);
    clicks.set(row.touchpoint_id, event);
    log.push({ position: row.position, event });
  }
  for (const row of appEvents) {
    const event = appEventOf(row);
    log.push({ position: row.from_position, event });
    const click = clicks.get(row.touchpoint_id);
    if (row.category === "app_install" && click !== undefined) {
      log.push({ position: row.from_position + 1n, event: wonBy(event, click, "device_id") });
    } else if (["app_install", "app_deeplink_open"].includes(row.category)) {
      log.push({ position: row.from_position + 1n, event: unattributed(event) });
    }
  }
  return log
    .sort((one, other) => Number(one.position - other.position))
    .map(({ position, event }) => recordedAt(position, event));
}

/** The number that the user's id was made of. */
const userNumber = `(select n from generate_series(1, ${size.devices}) as n where md5('device ' || n)::uuid = device_key)`;

// biome-ignore lint/suspicious/noExplicitAny: rows of two tables, read column by column
async function joined(table: string, position: string, user: string): Promise<readonly any[]> {
  const { rows } = await db.raw(
    `select fact.*, source.*, client.*, fact.source_key, ${user} as user_number
     from ${generated}.${table} as fact
     left join ${generated}.sources as source using (app_id, source_key)
     join ${generated}.clients as client using (app_id, client_key)
     order by ${position}`,
  );
  return rows;
}

// biome-ignore lint/suspicious/noExplicitAny: a joined row
function touchpointOf(row: any): TouchpointEvent {
  const described = {
    touchpointId: row.touchpoint_id,
    at: row.at.toISOString(),
    source: {
      channel: row.channel,
      channelType: row.channel_type,
      trackingLinkId: Number(row.tracking_link_id),
      isReengagement: row.is_reengagement,
      campaignParams: campaignParamsOf({
        campaign: row.campaign,
        campaign_id: row.campaign_id,
        ad_group: row.ad_group,
        ad_creative: row.ad_creative,
      }),
      publisher: {},
    },
    verdict: row.human ? ({ human: true } as const) : ({ human: false, bot: "bench" } as const),
    deviceKey: row.device_key,
    os: row.os,
    osVersion: row.os_version,
    person: {},
  };
  return row.kind === "click" ? aClick(described) : anImpression(described);
}

// biome-ignore lint/suspicious/noExplicitAny: a joined row
function appEventOf(row: any): AppEventRecorded {
  return anInstall({
    eventId: row.event_id,
    at: row.at.toISOString(),
    category: row.category,
    value: row.value,
    currency: row.currency,
    deviceKey: row.device_key,
    device: {
      os: row.os_name,
      osVersion: row.os_version,
      appVersion: row.app_version,
      country: row.country,
      model: row.device_model,
    },
    person: {
      deviceId: "bench",
      ...(row.user_key === null ? {} : { externalUserId: `user-${row.user_number}` }),
    },
  });
}

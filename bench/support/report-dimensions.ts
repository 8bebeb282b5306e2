import type { Knex } from "knex";
import type { DeviceDescription } from "../../domain/app-events/events.ts";
import type { TouchpointSource } from "../../domain/touchpoints/events.ts";
import { clientOf, sourceOf, storeClients, storeSources } from "../../projections/facts/dimensions/dimensions.ts";
import { openPipeline } from "../../projections/facts/sql/statement-pipeline.ts";
import type { SchemaName } from "../../projections/projection.ts";

/** The app whose reports are measured. */
export const reportApp = { id: 1, currency: "USD", timezone: "Asia/Seoul", salt: "00".repeat(32) } as const;

/**
 * The first three and the fifth are self-attributing (contract/administration.md#channels): reports may mask their
 * data.
 */
const channels = [
  "google.adwords",
  "facebook.business",
  "tiktok",
  "kakao",
  "apple.searchads",
  "newsletter",
  "appier",
  "remerge",
  "naver.searchad",
  "influencers",
  "podcast",
  "partner",
] as const;
const campaignsOfChannel = 8;
const countries = ["KR", "JP", "US", "DE", "BR", "IN"] as const;
const systems = ["Android", "iOS"] as const;
const appVersions = ["2.4", "2.3", "2.2"] as const;

/** The most frequent ones first. */
const sources: readonly TouchpointSource[] = Array.from(
  { length: channels.length * campaignsOfChannel },
  (_, index) => {
    const channel = channels[index % channels.length] ?? "partner";
    return {
      channel,
      channelType: "integrated",
      trackingLinkId: index + 1,
      isReengagement: "OFF",
      campaignParams: {
        campaign: `${channel} ${Math.floor(index / channels.length)}`,
        campaignId: String(1_000 + index),
        adGroup: `group-${index % 24}`,
        adCreative: `creative-${index % 36}`,
      },
      publisher: {},
    };
  },
);

const devices: readonly DeviceDescription[] = appVersions.flatMap((appVersion) =>
  countries.flatMap((country) => systems.map((os) => ({ os, osVersion: "17", appVersion, country, model: `${os} 1` }))),
);
const browsers: readonly DeviceDescription[] = systems.map((os) => ({ os, osVersion: "17" }));

/** Stores the dimensions, and lists their keys in temporary tables: `source`, `client` and `browser` (number, key). */
export async function writeReportDimensions(trx: Knex.Transaction, schema: SchemaName): Promise<void> {
  const writer = openPipeline(trx, schema);
  const { id, timezone, currency, salt } = reportApp;
  await writer.run(`insert into ${schema}.apps (app_id, timezone, currency, salt) values (?, ?, ?, ?)`, [
    String(id),
    timezone,
    currency,
    salt,
  ]);
  const sourceRows = sources.map((source) => sourceOf(id, source));
  const clientRows = devices.map((device) => clientOf(id, device));
  const browserRows = browsers.map((browser) => clientOf(id, browser));
  await storeSources(writer, sourceRows);
  await storeClients(writer, [...clientRows, ...browserRows]);
  for (const [table, rows] of Object.entries({ source: sourceRows, client: clientRows, browser: browserRows })) {
    await writer.run(
      `create temp table ${table} on commit drop as
       select number - 1 as number, key from unnest(?::bigint[]) with ordinality as listed (key, number)`,
      [`{${rows.map(({ key }) => key).join(",")}}`],
    );
  }
}

export const dimensionCounts = { source: sources.length, client: devices.length, browser: browsers.length } as const;

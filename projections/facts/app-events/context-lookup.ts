import type { IdentifierKind } from "../../../domain/prediction/events.ts";
import type { Features } from "../../../domain/prediction/features.ts";
import type { LocalDate } from "../../../domain/values/local-time.ts";
import { uuidOf } from "../../../domain/values/uuid.ts";
import type { ReadModel } from "../../projection.ts";
import { type Columns, unnest } from "../sql/unnest.ts";
import { aliasOf } from "./device-aliases.ts";
import { featuresFrom } from "./install-vectors.ts";

/** A look-up of a user by an identifier. */
export interface ContextQuery {
  readonly appId: number;
  /** Salt of the app. */
  readonly salt: string;
  readonly kind: IdentifierKind;
  /** Trimmed (`trimmedIdentifier`). */
  readonly identifier: string;
}

/** The source of the winner of an install, not masked (contract/reports.md#masking). */
export interface WinningSource {
  /** Of the touchpoint, in the app's time zone. */
  readonly localDate: LocalDate;
  readonly sourceChannel: string;
  readonly campaign: string | null;
  readonly adGroup: string | null;
  readonly adCreative: string | null;
  readonly term: string | null;
}

/** The device of an identifier, with its latest install by event time, then position (contract/prediction.md#checks). */
export interface FoundContext {
  readonly outcome: "found";
  /** The device (contract/ingest.md#devices). */
  readonly userId: string;
  readonly installId: string;
  /** Of the install, in the app's time zone. */
  readonly localDate: LocalDate;
  /** Null until they are stored; `vectorsOf` computes them. */
  readonly features: Features | null;
  /** Of the decision in force; null while the install is undecided. */
  readonly touchpoint: WinningSource | "unattributed" | null;
}

export type ContextResult =
  | FoundContext
  /** No device has sent the identifier. */
  | { readonly outcome: "unknown" }
  /** Several devices have sent the partner's device id. */
  | { readonly outcome: "shared" }
  | { readonly outcome: "no_install"; readonly userId: string };

interface Probe {
  readonly appId: number;
  readonly deviceKey: string | null;
  readonly alias: string | null;
}

const columns: Columns<Probe> = {
  app_id: { type: "integer", of: ({ appId }) => appId },
  device_key: { type: "uuid", of: ({ deviceKey }) => deviceKey },
  alias: { type: "uuid", of: ({ alias }) => alias },
};

interface ResultRow {
  readonly n: number;
  /** The device that sent the alias last; null when none has. */
  readonly sender: string | null;
  readonly is_shared: boolean | null;
  /** Whether a device that is looked up by its own key has sent any app event. */
  readonly is_known: boolean;
  readonly event_id: string | null;
  readonly local_date: string;
  readonly features: readonly number[] | null;
  readonly is_decided: boolean;
  readonly source_key: bigint | null;
  readonly touchpoint_date: string | null;
  readonly channel: string | null;
  readonly campaign: string | null;
  readonly ad_group: string | null;
  readonly ad_creative: string | null;
  readonly term: string | null;
}

/** Looks up identifiers with one statement; returns results in the order of `queries`, at most a few hundred. */
export async function lookUpContexts(
  { db, schema }: ReadModel,
  queries: readonly ContextQuery[],
): Promise<readonly ContextResult[]> {
  if (queries.length === 0) return [];
  const probes = queries.map(probeFor);
  const { text, values } = unnest(probes, columns, "requested", { ordinality: true });
  // The limits make the planner use one scan of each index per query, whatever it estimates of the tables.
  const { rows }: { rows: readonly ResultRow[] } = await db.raw(
    `select requested.n::integer,
            alias.device_key as sender,
            alias.is_shared,
            install.event_id is not null or exists (
              select
              from ${schema}.app_events as event
              where event.app_id = requested.app_id and event.device_key = requested.device_key
            ) as is_known,
            install.event_id,
            event.local_date,
            vector.features,
            decision.from_position is not null as is_decided,
            decision.source_key,
            touchpoint.local_date as touchpoint_date,
            source.channel, source.campaign, source.ad_group, source.ad_creative, source.term
     from ${text}
     left join lateral (
       select device_key, is_shared
       from ${schema}.device_aliases as stored
       where stored.app_id = requested.app_id and stored.alias = requested.alias
       limit 1
     ) as alias on true
     left join lateral (
       select event_id
       from ${schema}.device_installs as stored
       where stored.app_id = requested.app_id and stored.device_key = coalesce(requested.device_key, alias.device_key)
       limit 1
     ) as install on true
     left join lateral (
       select local_date
       from ${schema}.app_events as stored
       where stored.app_id = requested.app_id and stored.event_id = install.event_id
       limit 1
     ) as event on true
     left join lateral (
       select features
       from ${schema}.install_vectors as stored
       where stored.app_id = requested.app_id and stored.event_id = install.event_id
       limit 1
     ) as vector on true
     left join lateral (
       select from_position, source_key, touchpoint_id
       from ${schema}.decisions as stored
       where stored.app_id = requested.app_id and stored.event_id = install.event_id
       order by from_position desc
       limit 1
     ) as decision on true
     left join lateral (
       select local_date
       from ${schema}.touchpoints as stored
       where stored.app_id = requested.app_id and stored.touchpoint_id = decision.touchpoint_id
       limit 1
     ) as touchpoint on true
     left join lateral (
       select channel, campaign, ad_group, ad_creative, term
       from ${schema}.sources as stored
       where stored.app_id = requested.app_id and stored.source_key = decision.source_key
       limit 1
     ) as source on true`,
    [...values],
  );
  const byNumber = new Map(rows.map((row) => [row.n, row]));
  return queries.map((query, index) => {
    const row = byNumber.get(index + 1);
    if (row === undefined) throw new Error("A look-up of a context has no result");
    return resultOf(query, probes[index]?.deviceKey ?? row.sender, row);
  });
}

/** A text that is not a UUID is not a device key. */
function probeFor({ appId, salt, kind, identifier }: ContextQuery): Probe {
  return kind === "service_generated_uuid"
    ? { appId, deviceKey: uuidOf(identifier), alias: null }
    : { appId, deviceKey: null, alias: aliasOf(salt, kind, identifier) };
}

function resultOf({ kind }: ContextQuery, userId: string | null, row: ResultRow): ContextResult {
  if (kind === "partner_device_id" && row.is_shared === true) return { outcome: "shared" };
  if (userId === null || (kind === "service_generated_uuid" && !row.is_known)) return { outcome: "unknown" };
  if (row.event_id === null) return { outcome: "no_install", userId };
  return {
    outcome: "found",
    userId,
    installId: row.event_id,
    localDate: row.local_date,
    features: row.features === null ? null : featuresFrom(row.features),
    touchpoint: row.is_decided ? winningSource(row) : null,
  };
}

/** A missing source or touchpoint is an error, so that an attributed install is never taken for an unattributed one. */
function winningSource({ source_key, touchpoint_date, channel, ...row }: ResultRow): WinningSource | "unattributed" {
  if (source_key === null) return "unattributed";
  if (channel === null || touchpoint_date === null) {
    throw new Error(`Source ${source_key} of a decision, or its touchpoint, is not stored`);
  }
  return {
    localDate: touchpoint_date,
    sourceChannel: channel,
    campaign: row.campaign,
    adGroup: row.ad_group,
    adCreative: row.ad_creative,
    term: row.term,
  };
}

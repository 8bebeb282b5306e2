import { type FeatureName, type Features, featureNames, vectorOf } from "../../../domain/prediction/features.ts";
import { installFeatures } from "../../../domain/prediction/install-features.ts";
import type { OperatingSystem } from "../../../domain/touchpoints/events.ts";
import type { ReadModel } from "../../projection.ts";
import { rulesInForce } from "../attribution/attribution-rules.ts";
import { candidatesOf } from "../attribution/candidates.ts";
import { type OpenTarget, type TargetRow, targetFrom, targetSelection } from "../attribution/target-events.ts";
import { selfAttributingAt } from "../dimensions/channel-flags.ts";
import { type Columns, unnest } from "../sql/unnest.ts";
import { eventKey, eventKeyColumns } from "./app-events.ts";

/** An app event that is an install. */
export interface Install {
  readonly appId: number;
  /** UUID, lower case. */
  readonly eventId: string;
}

interface InstallRow extends TargetRow {
  readonly os: OperatingSystem | null;
  readonly local_date: string;
  readonly local_hour: number;
  readonly value: string | null;
  readonly is_first_of_device: boolean;
}

/** The features of one install; see {@link vectorsOf}. */
export async function featuresOfInstall(readModel: ReadModel, install: Install): Promise<Features> {
  const [features] = await vectorsOf(readModel, [install]);
  if (features === undefined) throw new Error(`No features were computed for install ${install.eventId}`);
  return features;
}

/**
 * The features of installs, in the order of `installs`, each as known at its own log position
 * (contract/prediction.md#features): later events have no effect, nor whether its attribution is decided.
 * @throws {Error} when an app event is not stored or is not an install
 */
export async function vectorsOf(readModel: ReadModel, installs: readonly Install[]): Promise<readonly Features[]> {
  if (installs.length === 0) return [];
  const known = await storedInstalls(readModel, installs);
  const targets = known.map(({ target }) => target);
  const [candidates, rules] = await Promise.all([candidatesOf(readModel, targets), rulesInForce(readModel, targets)]);
  const channels = new Set(candidates.flatMap(({ listed }) => listed.map(({ source }) => source.channel)));
  const isSelfAttributing = await selfAttributingAt(readModel, channels);
  return known.map(({ target, row }, index) => {
    const [found, inForce] = [candidates[index], rules[index]];
    if (found === undefined || inForce === undefined)
      throw new Error(`Install ${target.eventId} has no candidates or rules`);
    return installFeatures({
      target,
      local: { date: row.local_date, hour: row.local_hour },
      os: row.os,
      value: row.value,
      isReinstall: !row.is_first_of_device,
      candidates: found,
      rules: inForce,
      isSelfAttributing: (channel) => isSelfAttributing(channel, target.position),
    });
  });
}

interface StoredInstall {
  readonly target: OpenTarget;
  readonly row: InstallRow;
}

/** Installs with their version at their own position; later versions are caused by other events. */
async function storedInstalls(
  { db, schema }: ReadModel,
  installs: readonly Install[],
): Promise<readonly StoredInstall[]> {
  const { text, values } = unnest(installs, eventKeyColumns, "requested");
  // The limits make the planner use one scan of each index per install.
  const { rows }: { rows: readonly InstallRow[] } = await db.raw(
    `select ${targetSelection}, version.*
     from ${text}
     cross join lateral (
       select *
       from ${schema}.targets as target
       where target.app_id = requested.app_id
         and target.event_id = requested.event_id
         and target.category = 'app_install'
       limit 1
     ) as target
     cross join lateral (
       select local_date, local_hour, value, is_first_of_device
       from ${schema}.app_events as version
       where version.app_id = requested.app_id
         and version.event_id = requested.event_id
         and version.from_position = target.position
       limit 1
     ) as version`,
    [...values],
  );
  const stored = new Map(
    rows.map((row) => {
      const { local_date, local_hour, value, is_first_of_device, ...target } = row;
      return [eventKey(row.appId, row.eventId), { target: targetFrom(target), row }];
    }),
  );
  return installs.map(({ appId, eventId }) => {
    const install = stored.get(eventKey(appId, eventId));
    if (install === undefined) throw new Error(`App event ${eventId} of app ${appId} is not stored as an install`);
    return install;
  });
}

interface Vector extends Install {
  readonly features: Features;
}

const vectorColumns: Columns<Vector> = {
  ...eventKeyColumns,
  features: { type: "text", of: ({ features }) => `{${vectorOf(features, featureNames).join(",")}}` },
};

/** Whether the features of any install have not been stored yet. */
export async function hasOpenVectors({ db, schema }: ReadModel): Promise<boolean> {
  const { rows } = await db.raw<{ rows: unknown[] }>(`select from ${schema}.open_vectors limit 1`);
  return rows.length > 0;
}

/**
 * Stores the features of the oldest installs that have none, at most `max`, and returns their number. Concurrent calls
 * take different installs.
 */
export async function fillVectors({ db, schema }: ReadModel, max: number): Promise<number> {
  return db.transaction(async (trx) => {
    // An install whose features are lost in a crash is still in the to-do list.
    await trx.raw("set local synchronous_commit = off");
    const { rows }: { rows: readonly { readonly app_id: number; readonly event_id: string }[] } = await trx.raw(
      `select app_id, event_id
       from ${schema}.open_vectors
       order by position
       limit ?
       for update skip locked`,
      [max],
    );
    if (rows.length === 0) return 0;
    const installs = rows.map(({ app_id, event_id }) => ({ appId: app_id, eventId: event_id }));
    const features = await vectorsOf({ db: trx, schema }, installs);
    const vectors = installs.flatMap((install, index): readonly Vector[] => {
      const found = features[index];
      return found === undefined ? [] : [{ ...install, features: found }];
    });
    const { text, names, values } = unnest(vectors, vectorColumns, "vector");
    await trx.raw(
      `with filled as (
         delete from ${schema}.open_vectors as open
         using ${text}
         where open.app_id = vector.app_id and open.event_id = vector.event_id
         returning vector.*
       )
       insert into ${schema}.install_vectors (${names})
       select app_id, event_id, features::double precision[]
       from filled
       on conflict do nothing`,
      [...values],
    );
    return rows.length;
  });
}

/** Features from a row of `install_vectors`. */
export function featuresFrom(stored: readonly number[]): Features {
  const entries = featureNames.map((name, index) => [name, stored[index]] as const);
  if (!areComplete(entries)) throw new Error(`${stored.length} features are stored where there are ${entries.length}`);
  return Object.fromEntries(entries) as { [name in FeatureName]: number };
}

function areComplete(
  entries: readonly (readonly [FeatureName, number | undefined])[],
): entries is readonly (readonly [FeatureName, number])[] {
  return entries.every(([, value]) => value !== undefined);
}

import { featureNames, vectorOf } from "../../../domain/prediction/features.ts";
import { type DerivedTable, maxListedRows, type ReadModel } from "../../projection.ts";
import { vectorsOf } from "./install-vectors.ts";

/** Installs whose features are computed at once. */
const pageSize = 500;

interface StoredVector {
  readonly appId: number;
  /** UUID. */
  readonly eventId: string;
  readonly features: readonly number[];
  readonly isInstall: boolean;
}

/** Computes all stored features of installs again, in the snapshot of `model`, and compares them. */
export async function verifyVectors(model: ReadModel): Promise<DerivedTable> {
  const [wrong, missing]: [string[], string[]] = [[], []];
  let rows = 0;
  let page: readonly StoredVector[] = [];
  do {
    page = await vectorsAfter(model, page.at(-1) ?? null);
    const installs = page.filter(({ isInstall }) => isInstall);
    const computed = await vectorsOf(model, installs);
    const expected = new Map(installs.map((install, index) => [install, computed[index]]));
    for (const stored of page) {
      const features = expected.get(stored);
      const row = features === undefined ? null : lineOf({ ...stored, features: vectorOf(features, featureNames) });
      if (lineOf(stored) === row) continue;
      if (wrong.length < maxListedRows) wrong.push(lineOf(stored));
      if (row !== null && missing.length < maxListedRows) missing.push(row);
    }
    rows += page.length;
  } while (page.length === pageSize);
  return { table: "install_vectors", rows, wrong, missing };
}

/** As JSON, in which -0 is 0, as it is for a model. */
function lineOf({ appId, eventId, features }: Omit<StoredVector, "isInstall">): string {
  return JSON.stringify({ app_id: appId, event_id: eventId, features });
}

async function vectorsAfter({ db, schema }: ReadModel, last: StoredVector | null): Promise<readonly StoredVector[]> {
  const { rows }: { rows: readonly StoredVector[] } = await db.raw(
    `select app_id as "appId",
            event_id as "eventId",
            features,
            exists (
              select
              from ${schema}.targets as target
              where target.app_id = vector.app_id
                and target.event_id = vector.event_id
                and target.category = 'app_install'
            ) as "isInstall"
     from ${schema}.install_vectors as vector
     where (app_id, event_id) > (:appId, :eventId)
     order by app_id, event_id
     limit ${pageSize}`,
    { appId: last?.appId ?? 0, eventId: last?.eventId ?? "00000000-0000-0000-0000-000000000000" },
  );
  return rows;
}

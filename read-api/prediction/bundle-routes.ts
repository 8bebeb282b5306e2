import { type BundleWithStatus, bundleRecord } from "../../domain/prediction/bundle-record.ts";
import type { Problem } from "../../infra/http/response/problem.ts";
import { ok, type Route, refuse, route } from "../../infra/http/routing/route.ts";
import { listReply, pageOf, pageOfAll, pageQuery } from "../listing.ts";
import { bundleDocs, listBundlesDocs } from "./docs.ts";

export interface BundleQueries {
  /** All bundles in the log, oldest first. */
  bundles(): Promise<readonly BundleWithStatus[]>;
  /** Null for an unknown app. */
  appName(appId: number): Promise<string | null>;
}

const bundleNotFound: Problem = { status: 404, code: "BUNDLE_NOT_FOUND" };

/** Reads model bundles and their activations (contract/administration.md#model-bundles). */
export function bundleReadRoutes({ bundles, appName }: BundleQueries): readonly Route[] {
  const recordOf = async (listed: BundleWithStatus) => {
    const names = await Promise.all(listed.appIds.map(appName));
    return bundleRecord(
      listed,
      names.filter((name) => name !== null),
    );
  };
  return [
    route({
      method: "get",
      path: "/admin/v1/model-bundles",
      docs: listBundlesDocs,
      operation: "operate",
      query: pageQuery,
      handle: async ({ query }) => {
        const { rows, totalCount } = pageOfAll(await bundles(), pageOf(query));
        return listReply("bundles", { rows: await Promise.all(rows.map(recordOf)), totalCount }, (bundle) => bundle);
      },
    }),
    route({
      method: "get",
      path: "/admin/v1/model-bundles/:bundle_id",
      docs: bundleDocs,
      operation: "operate",
      handle: async ({ params }) => {
        const found = (await bundles()).find(({ bundle }) => bundle.bundleId === params.bundle_id);
        return found === undefined ? refuse(bundleNotFound) : ok({ data: { bundle: await recordOf(found) } });
      },
    }),
  ];
}

import { readFile } from "../../../commands/file-chunks.ts";
import { uploadRoutes } from "../../../commands/uploads/upload-routes.ts";
import { uploadFileStream, uploadStream } from "../../../domain/streams.ts";
import type { UploadReceived } from "../../../domain/uploads/events.ts";
import type { RateLimiter } from "../../../infra/http/routing/rate-limits.ts";
import { uploadsProjection } from "../../../projections/uploads/projection.ts";
import { uploadOf } from "../../../projections/uploads/queries.ts";
import { uploadReadRoutes } from "../../../read-api/uploads/routes.ts";
import { type Application, otherShop, principals, servedShop, startApplication } from "../../support/application.ts";

export interface UploadApplication extends Application {
  /** What the log has of an upload's receipt. */
  received(requestId: string): Promise<UploadReceived["data"]>;
  /** How many events of a type the whole log has. */
  count(type: string): Promise<number>;
}

/**
 * Uploads from POST to status; no pipeline ingests them. Tokens: the examples, `diner`, the owner of an app in New York,
 * and `lost`, the owner of an app that does not exist.
 */
export async function startUploads(rateLimiter: RateLimiter | null = null): Promise<UploadApplication> {
  const application = await startApplication({
    apps: [servedShop, { ...otherShop, name: "diner", timezone: "America/New_York" }],
    principals: {
      diner: { ...principals.other_owner, tokenId: "diner" },
      lost: { ...principals.owner, appId: 3 },
    },
    projections: [uploadsProjection],
    routes: ({ log, readModel }) => [
      ...uploadRoutes({ log }),
      ...uploadReadRoutes({
        uploadOf: (appId, requestId) => uploadOf(readModel(), appId, requestId),
        uploadedFile: (requestId, sha256) => readFile(log, uploadFileStream(requestId), sha256),
      }),
    ],
    deps: () => ({ rateLimiter, findApp: async () => null }),
  });
  return {
    ...application,
    received: async (requestId) => {
      const [event] = await application.events(uploadStream(requestId));
      if (event === undefined) throw new Error(`There is no upload ${requestId}`);
      return event.data as UploadReceived["data"];
    },
    count: async (type) => (await application.events()).filter((event) => event.type === type).length,
  };
}

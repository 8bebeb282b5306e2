import { data } from "../../infra/http/openapi/route-docs.ts";
import { app, appExample } from "../../infra/http/openapi/shared-schemas.ts";
import { listResponse } from "../listing.ts";

export const listAppsDocs = {
  summary: "List the apps",
  description: "Returns apps with their settings, newest first.",
  contract: "contract/administration.md#apps",
  responses: { 200: listResponse("apps", app, appExample) },
};

export const appDocs = {
  summary: "Get an app",
  description: "Returns the app and its settings, without the secret salt.",
  contract: "contract/administration.md#apps",
  responses: { 200: { schema: data({ app }), example: { data: { app: appExample } } } },
};

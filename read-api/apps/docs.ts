import { data, listOf } from "../../infra/http/openapi/route-docs.ts";
import { app, appExample, token, tokenExample } from "../../infra/http/openapi/shared-schemas.ts";

export const listAppsDocs = {
  summary: "List the apps",
  description: "Every app, with its settings.",
  contract: "contract/administration.md#apps",
  answers: { 200: { schema: data({ apps: listOf(app) }), example: { data: { apps: [appExample] } } } },
};

export const appDocs = {
  summary: "Read an app",
  description: "Its settings, but for the secret salt.",
  contract: "contract/administration.md#apps",
  answers: { 200: { schema: data({ app }), example: { data: { app: appExample } } } },
};

export const listTokensDocs = {
  summary: "List the tokens of an app",
  description: "Revoked ones too, without their secrets.",
  contract: "contract/administration.md#tokens",
  answers: { 200: { schema: data({ tokens: listOf(token) }), example: { data: { tokens: [tokenExample] } } } },
};

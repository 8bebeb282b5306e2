import { data, integer, listOf, mapOf, nullable, object, text } from "../../infra/http/openapi/route-docs.ts";
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
  answers: {
    200: {
      schema: data({ tokens: listOf(token) }),
      example: { data: { tokens: [{ ...tokenExample, lastUsedAt: "2026-01-05T00:00:00.000Z" }] } },
    },
  },
};

export const whoamiDocs = {
  summary: "Ask what the token is and may do",
  description:
    "Its kind, role and app, the operations that it may perform, and its rate limits, empty when these are off.",
  contract: "contract/tokens.md#who-am-i",
  answers: {
    200: {
      schema: data({
        ...{ kind: text, tokenId: nullable(text), role: nullable(text), channels: nullable(listOf(text)) },
        ...{
          app: nullable(text),
          permissions: listOf(text),
          limits: mapOf(object({ count: integer, seconds: integer })),
        },
      }),
      example: {
        data: {
          ...{ kind: "api", tokenId: "9f86d081884c7d659a2feaa0c55ad015", role: "owner", channels: null, app: "shop" },
          ...{ permissions: ["whoami"], limits: { other: { count: 100, seconds: 1 } } },
        },
      },
    },
  },
};

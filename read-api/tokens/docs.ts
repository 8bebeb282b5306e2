import { data, integer, listOf, mapOf, nullable, object, text } from "../../infra/http/openapi/route-docs.ts";
import { token, tokenExample } from "../../infra/http/openapi/shared-schemas.ts";
import { listResponse } from "../listing.ts";

export const listTokensDocs = {
  summary: "List the tokens of an app",
  description: "Returns tokens, newest first, also revoked ones, without their secrets.",
  contract: "contract/administration.md#tokens",
  responses: { 200: listResponse("tokens", token, { ...tokenExample, lastUsedAt: "2026-01-05T00:00:00.000Z" }) },
};

export const whoamiDocs = {
  summary: "Get the token's own permissions",
  description:
    "Returns the kind, role and app of the token of the call, the operations that it permits, and its rate " +
    "limits. The limits are empty when rate limiting is off.",
  contract: "contract/tokens.md#who-am-i",
  responses: {
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

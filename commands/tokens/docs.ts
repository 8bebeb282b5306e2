import { data } from "../../infra/http/openapi/route-docs.ts";
import { issuedToken, tokenExample } from "../../infra/http/openapi/shared-schemas.ts";
import { rejectionsOf } from "../rejection-statuses.ts";

export const issueTokenDocs = {
  summary: "Issue a token",
  description: "Returns the token with its secret, which is shown only in this response.",
  contract: "contract/administration.md#tokens",
  request: { kind: "api", role: "agency", label: "the agency" },
  responses: {
    201: {
      schema: data({ token: issuedToken }),
      example: { data: { token: { ...tokenExample, secret: "tl_api_..." } } },
    },
  },
  problems: rejectionsOf("CHANNELS_NOT_ALLOWED", "CHANNELS_REQUIRED", "ROLE_NOT_ALLOWED", "ROLE_REQUIRED"),
};

export const revokeTokenDocs = {
  summary: "Revoke a token",
  description: "The token stops working within 2 seconds. Revoking it again changes nothing.",
  contract: "contract/administration.md#tokens",
  responses: { 204: null },
  problems: rejectionsOf("TOKEN_NOT_FOUND"),
};

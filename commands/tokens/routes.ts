import { tokenStream } from "../../domain/streams.ts";
import { grantOf, maxPartnerChannels } from "../../domain/tokens/grant.ts";
import { token } from "../../domain/tokens/token.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";
import { appRoute, type Route, reply } from "../../infra/http/routing/route.ts";
import { causeOf } from "../event-metadata.ts";
import { handleHttpCommand } from "../handle-http-command.ts";
import { bodyFaults, refuseWith } from "../rejection-statuses.ts";
import { issueTokenDocs, revokeTokenDocs } from "./docs.ts";
import { generateToken, issueToken } from "./issue-token.ts";

const issueBody = {
  type: "object",
  required: ["kind"],
  additionalProperties: false,
  properties: {
    kind: { type: "string", enum: ["api", "link", "sdk", "web"] },
    role: { type: ["string", "null"], enum: ["owner", "in_house_marketer", "agency", "media_partner", null] },
    channels: {
      type: "array",
      maxItems: maxPartnerChannels,
      uniqueItems: true,
      items: { type: "string", maxLength: 256, format: "channel-name" },
    },
    label: { type: ["string", "null"], minLength: 1, maxLength: 256 },
  },
} as const;

/** Issues and revokes an app's tokens (contract/administration.md#tokens). */
export function tokenRoutes({ log }: { readonly log: EventLog }): readonly Route[] {
  return [
    appRoute({
      method: "post",
      path: "/admin/v1/apps/:app_name/tokens",
      docs: issueTokenDocs,
      operation: "administer_app",
      body: issueBody,
      rules: (body) => {
        const grant = grantOf(body);
        return "rejected" in grant ? bodyFaults(grant) : [];
      },
      handle: async (request) => {
        const grant = grantOf(request.body);
        if ("rejected" in grant) return refuseWith(grant);
        const generated = generateToken(grant.kind);
        const position = await issueToken(log, generated, request.app.appId, grant, causeOf(request));
        const { tokenId: id, text: secret } = generated;
        const issued = { id, ...grant, issuedAt: request.receivedAt, revokedAt: null, secret };
        return reply(201, { data: { token: issued } }, { position, visibleIn: "control", tokens: { issued: [id] } });
      },
    }),
    appRoute({
      method: "delete",
      path: "/admin/v1/apps/:app_name/tokens/:token_id",
      docs: revokeTokenDocs,
      operation: "administer_app",
      handle: async (request) => {
        const { app, params } = request;
        const stream = tokenStream(params.token_id ?? "");
        const command = { type: "RevokeToken", appId: app.appId } as const;
        return handleHttpCommand(log, token, stream, command, request, ({ position }) =>
          reply(204, null, { position, visibleIn: "control", tokens: { revoked: [params.token_id ?? ""] } }),
        );
      },
    }),
  ];
}

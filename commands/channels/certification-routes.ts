import { certifications } from "../../domain/channels/certifications.ts";
import { channelCertificationsStream } from "../../domain/streams.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";
import { ok, type Route, reply, route } from "../../infra/http/routing/route.ts";
import { handleHttpCommand } from "../handle-http-command.ts";
import { generateToken } from "../tokens/issue-token.ts";
import { certifyChannelDocs, revokeCertificationDocs } from "./docs.ts";
import type { FindChannel } from "./find-channel.ts";

const certifyBody = {
  type: "object",
  required: ["responseFormat"],
  additionalProperties: false,
  properties: {
    responseFormat: { type: "string", minLength: 1, maxLength: 256, title: "one-line", pattern: "^\\S(.*\\S)?$" },
  },
} as const;

/**
 * Certifies channels and revokes certifications (contract/administration.md#certification). Each PUT returns a new
 * `apiKey`; the previous one stops working within 2 s. Only the hash of the key is stored.
 */
export function certificationRoutes({
  log,
  findChannel,
}: {
  readonly log: EventLog;
  readonly findChannel: FindChannel;
}): readonly Route[] {
  const path = "/admin/v1/channels/:name/certification";
  const stream = channelCertificationsStream;
  return [
    route({
      method: "put",
      path,
      docs: certifyChannelDocs,
      operation: "operate",
      body: certifyBody,
      handle: async (request) => {
        const channel = request.params.name ?? "";
        const { text, tokenId, secretHashRest } = generateToken("channel");
        const { responseFormat } = request.body;
        const command = {
          type: "CertifyChannel",
          certificate: { channel, responseFormat, tokenId, secretHashRest },
          ...(await findChannel(channel, { principal: request.principal, app: null })),
        } as const;
        return handleHttpCommand(log, certifications, stream, command, request, ({ position }) =>
          ok({ apiKey: text }, { position, tokens: { issued: [tokenId] } }),
        );
      },
    }),
    route({
      method: "delete",
      path,
      docs: revokeCertificationDocs,
      operation: "operate",
      handle: (request) => {
        const channel = request.params.name ?? "";
        const command = { type: "RevokeCertification", channel } as const;
        return handleHttpCommand(log, certifications, stream, command, request, ({ position }) =>
          reply(204, null, { position, tokens: { revoked: [`channel:${channel}`] } }),
        );
      },
    }),
  ];
}

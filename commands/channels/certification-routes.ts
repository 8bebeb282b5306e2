import { certifications } from "../../domain/channels/certifications.ts";
import { channelCertificationsStream } from "../../domain/streams.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";
import { ok, type Route, reply, route } from "../../infra/http/routing/route.ts";
import { handleCommand } from "../handle-command.ts";
import { causeOf } from "../metadata.ts";
import { refuseWith } from "../problems.ts";
import { isKnownChannel } from "./known-channel.ts";

const certifyBody = {
  type: "object",
  required: ["responseFormat"],
  additionalProperties: false,
  properties: { responseFormat: { type: "string", minLength: 1, maxLength: 256, pattern: "^\\S(.*\\S)?$" } },
} as const;

/** A key that is drawn but not yet anybody's. */
export interface DrawnKey {
  /** Shown once, never stored. */
  readonly text: string;
  readonly tokenId: string;
  readonly secretHashRest: string;
}

export interface CertificationDeps {
  readonly log: EventLog;
  drawKey(): DrawnKey;
}

/**
 * Certifying channels, and taking that back (contract/administration.md#certification). Each PUT answers a new
 * `apiKey`; the one before no longer works within 2 s. The key is shown once, its hash is stored.
 */
export function certificationRoutes({ log, drawKey }: CertificationDeps): readonly Route[] {
  const path = "/admin/v1/channels/:name/certification";
  const stream = channelCertificationsStream;
  return [
    route({
      method: "put",
      path,
      operation: "operate",
      body: certifyBody,
      handle: async (request) => {
        const channel = request.params.name ?? "";
        const { text, tokenId, secretHashRest } = drawKey();
        const { responseFormat } = request.body;
        const command = {
          kind: "certify",
          certificate: { channel, responseFormat, tokenId, secretHashRest },
          isChannelKnown: await isKnownChannel(log, channel),
        } as const;
        const certified = await handleCommand(
          log,
          certifications,
          stream,
          request.requestId,
          command,
          causeOf(request),
        );
        if (certified.outcome === "rejected") return refuseWith(certified.rejection);
        return ok({ apiKey: text }, certified.position === null ? {} : { position: certified.position });
      },
    }),
    route({
      method: "delete",
      path,
      operation: "operate",
      handle: async (request) => {
        const command = { kind: "revoke", channel: request.params.name ?? "" } as const;
        const { requestId } = request;
        const revoked = await handleCommand(log, certifications, stream, requestId, command, causeOf(request));
        if (revoked.outcome === "rejected") return refuseWith(revoked.rejection);
        return reply(204, null, revoked.position === null ? {} : { position: revoked.position });
      },
    }),
  ];
}

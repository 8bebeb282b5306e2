import { assertNever, type Decider, type Rejection, rejectField } from "../decider.ts";
import { type ChannelLookUp, unknownChannel } from "./built-in.ts";
import type { CertificationEvent, ChannelCertified } from "./events.ts";

/** Replaces the key of a channel with one that the caller has generated. */
export interface CertifyChannel extends ChannelLookUp {
  readonly type: "CertifyChannel";
  readonly certificate: ChannelCertified["data"];
}

export interface RevokeCertification {
  readonly type: "RevokeCertification";
  readonly channel: string;
}

export type CertificationCommand = CertifyChannel | RevokeCertification;

/** Certificates by channel; null: revoked. */
export type CertificationsState = ReadonlyMap<string, ChannelCertified["data"] | null>;

export type CertificationRejection = "CERTIFICATION_NOT_FOUND" | "CHANNEL_NOT_FOUND" | "RESPONSE_FORMAT_TAKEN";

type Decision = readonly CertificationEvent[] | Rejection<CertificationRejection>;

function decide(command: CertificationCommand, state: CertificationsState): Decision {
  switch (command.type) {
    case "CertifyChannel":
      return certify(command, state);
    case "RevokeCertification":
      return revoke(command, state);
    default:
      return assertNever(command);
  }
}

function certify(
  { certificate, isChannelKnown, visibleChannels }: CertifyChannel,
  state: CertificationsState,
): Decision {
  const { channel, responseFormat, tokenId } = certificate;
  if (!isChannelKnown) return unknownChannel(["path", "name"], channel, visibleChannels);
  const current = state.get(channel) ?? null;
  if (current?.tokenId === tokenId) return [];
  for (const other of state.values()) {
    if (other !== null && other.channel !== channel && other.responseFormat === responseFormat) {
      return rejectField("RESPONSE_FORMAT_TAKEN", ["body", "responseFormat"]);
    }
  }
  const certified = { type: "ChannelCertified", data: certificate } as const;
  return current === null ? [certified] : [revoked(current), certified];
}

function revoke({ channel }: RevokeCertification, state: CertificationsState): Decision {
  const current = state.get(channel);
  if (current === undefined) return { rejected: "CERTIFICATION_NOT_FOUND" };
  return current === null ? [] : [revoked(current)];
}

function revoked({ channel, tokenId }: ChannelCertified["data"]): CertificationEvent {
  return { type: "CertificationRevoked", data: { channel, tokenId } };
}

function evolve(state: CertificationsState, event: CertificationEvent): CertificationsState {
  switch (event.type) {
    case "ChannelCertified":
      return new Map(state).set(event.data.channel, event.data);
    case "CertificationRevoked":
      return new Map(state).set(event.data.channel, null);
    default:
      return assertNever(event);
  }
}

/** The certificate in force by the id of its key; null for none. */
export function certificateOf(state: CertificationsState, tokenId: string): ChannelCertified["data"] | null {
  for (const certificate of state.values()) if (certificate?.tokenId === tokenId) return certificate;
  return null;
}

/**
 * The certifications of all channels (contract/administration.md#certification): at most one key for each channel,
 * `responseFormat` unique.
 */
export const certifications: Decider<
  CertificationCommand,
  CertificationEvent,
  CertificationsState,
  CertificationRejection
> = { initialState: new Map(), decide, evolve };

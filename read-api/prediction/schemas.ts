/** A text with something in it that is no white space. */
const identifier = { type: "string", minLength: 1, pattern: "\\P{White_Space}" } as const;

/** ContextRequest: exactly one identifier. */
export const contextBody = {
  type: "object",
  additionalProperties: false,
  minProperties: 1,
  maxProperties: 1,
  properties: { userId: identifier, partnerDeviceId: identifier, serviceExternalUserId: identifier },
} as const;

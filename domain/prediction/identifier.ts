import { trimmedIdentifier } from "../values/text.ts";
import type { IdentifierKind } from "./events.ts";

/**
 * The kinds of identifier that app events bind to devices; the third is the device's own UUID
 * (contract/ingest.md#devices).
 */
export type AliasKind = Exclude<IdentifierKind, "service_generated_uuid">;

/** Request fields and their kinds of identifier (contract/prediction.md#request). */
const identifierFields = {
  userId: "service_generated_uuid",
  partnerDeviceId: "partner_device_id",
  serviceExternalUserId: "service_external_user_id",
} as const satisfies { readonly [field: string]: IdentifierKind };

export type IdentifierField = keyof typeof identifierFields;

/** The user identifier of a request. */
export interface Identifier {
  readonly kind: IdentifierKind;
  /** Trimmed. */
  readonly value: string;
}

/** The identifier in a valid request body, which has one field. */
export function identifierOf(body: { readonly [field in IdentifierField]?: string }): Identifier | null {
  for (const field of Object.keys(identifierFields) as IdentifierField[]) {
    const value = body[field];
    if (value !== undefined) return { kind: identifierFields[field], value: trimmedIdentifier(value) };
  }
  return null;
}

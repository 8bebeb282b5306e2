import type { IdentifierKind } from "./events.ts";

/** The kinds of identifier that app events bind to devices; the third is the device's own UUID (D5.4). */
export type AliasKind = Exclude<IdentifierKind, "service_generated_uuid">;

const whiteSpace = /\p{White_Space}/u;

/**
 * An identifier as it is compared: without Unicode white space at both ends, with all of it inside (C: ContextRequest).
 * One that is empty then names nobody. Takes time linear in the text, which a regular expression of both ends would not.
 */
export function trimmedIdentifier(text: string): string {
  let start = 0;
  let end = text.length;
  // All white space is in the first plane: each is one code unit.
  while (start < end && whiteSpace.test(text.charAt(start))) start += 1;
  while (start < end && whiteSpace.test(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

/** The field of a request that names a user by each kind of identifier (C: ContextRequest). */
export const identifierFields = {
  userId: "service_generated_uuid",
  partnerDeviceId: "partner_device_id",
  serviceExternalUserId: "service_external_user_id",
} as const satisfies { readonly [field: string]: IdentifierKind };

export type IdentifierField = keyof typeof identifierFields;

/** Whom a request names. */
export interface Identifier {
  readonly kind: IdentifierKind;
  /** Trimmed. */
  readonly value: string;
}

/** The identifier of a valid request body: its one field. */
export function identifierOf(body: { readonly [field in IdentifierField]?: string }): Identifier | null {
  for (const field of Object.keys(identifierFields) as IdentifierField[]) {
    const value = body[field];
    if (value !== undefined) return { kind: identifierFields[field], value: trimmedIdentifier(value) };
  }
  return null;
}

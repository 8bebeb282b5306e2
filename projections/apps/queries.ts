import type { AppSettings } from "../../domain/apps/events.ts";
import type { ChannelProfile } from "../../domain/channels/events.ts";
import type { Role, TokenKind } from "../../domain/tokens/events.ts";
import type { ReadModel } from "../projection.ts";

export interface AppRow extends AppSettings {
  readonly appId: number;
  readonly registeredAt: Date;
}

export interface TokenRow {
  readonly tokenId: string;
  readonly kind: TokenKind;
  readonly role: Role | null;
  readonly channels: readonly string[];
  readonly label: string | null;
  readonly issuedAt: Date;
  /** Null while it is valid. */
  readonly revokedAt: Date | null;
}

/** Every app, in the order of registration. */
export async function registeredApps({ db, schema }: ReadModel): Promise<readonly AppRow[]> {
  const { rows } = await db.raw<{ rows: AppRow[] }>(
    `select app_id as "appId", name, timezone, currency, company_name as "companyName", owner_email as "ownerEmail",
       ios_store_id as "iosStoreId", android_package as "androidPackage", ios_store_url as "iosStoreUrl",
       android_store_url as "androidStoreUrl", desktop_url as "desktopUrl", redirect_hosts as "redirectHosts",
       allowed_origins as "allowedOrigins", ios_app_ids as "iosAppIds", android_certificates as "androidCertificates",
       registered_at as "registeredAt"
     from ${schema}.apps
     order by app_id`,
  );
  return rows;
}

/** Every token that an app was ever issued, oldest first. */
export async function tokensOf({ db, schema }: ReadModel, appId: number): Promise<readonly TokenRow[]> {
  const { rows } = await db.raw<{ rows: TokenRow[] }>(
    `select token_id as "tokenId", kind, role, channels, label, issued_at as "issuedAt", revoked_at as "revokedAt"
     from ${schema}.tokens
     where app_id = :appId
     order by issued_at, token_id`,
    { appId },
  );
  return rows;
}

/** Registered and changed channels, without unchanged built-in ones. */
export async function storedChannels({ db, schema }: ReadModel): Promise<readonly ChannelProfile[]> {
  const { rows } = await db.raw<{ rows: ChannelProfile[] }>(
    `select name, display_name as "displayName", type, self_attributing as "selfAttributing",
       cost_integrated as "costIntegrated"
     from ${schema}.channels
     order by name collate "C"`,
  );
  return rows;
}

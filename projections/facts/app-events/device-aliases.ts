import crypto from "node:crypto";
import { precedes } from "../../../domain/attribution/event-order.ts";
import type { IdentifierKind } from "../../../domain/prediction/events.ts";
import type { AliasKind } from "../../../domain/prediction/identifier.ts";
import { trimmedIdentifier } from "../../../domain/values/text.ts";
import type { KnownApps } from "../dimensions/apps.ts";
import type { StatementPipeline } from "../sql/statement-pipeline.ts";
import { type Columns, unnest } from "../sql/unnest.ts";
import type { AppEventFact } from "./app-events.ts";

/**
 * Stored in place of an identifier (contract/prediction.md#recorded-calls): HMAC-SHA256 over its kind and text with the
 * app's salt, 64 hex digits. The identifier must be trimmed (`trimmedIdentifier`).
 */
export function identifierHash(salt: string, kind: IdentifierKind, identifier: string): string {
  return crypto.createHmac("sha256", Buffer.from(salt, "hex")).update(`${kind}\n${identifier}`).digest("hex");
}

/** The first half of an {@link identifierHash}, written as a UUID: the key of `device_aliases`. */
export function aliasOf(salt: string, kind: AliasKind, identifier: string): string {
  const hex = identifierHash(salt, kind, identifier);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}

/** An identifier that devices have sent in a batch. */
interface SentIdentifier {
  readonly kind: AliasKind;
  readonly identifier: string;
  /** By event time, then position. */
  readonly last: AppEventFact;
  readonly isShared: boolean;
}

interface AliasRow extends SentIdentifier {
  readonly alias: string;
}

const columns: Columns<AliasRow> = {
  app_id: { type: "integer", of: ({ last }) => last.appId },
  alias: { type: "uuid", of: ({ alias }) => alias },
  device_key: { type: "uuid", of: ({ last }) => last.deviceKey },
  at: { type: "timestamptz", of: ({ last }) => last.event.data.at },
  position: { type: "bigint", of: ({ last }) => last.position },
  is_shared: { type: "boolean", of: ({ isShared }) => isShared },
};

/**
 * Stores, for every identifier of new app events, the device that sent it last and whether another device has ever sent
 * it (contract/prediction.md#checks). Ignores events of unregistered apps, which are parked.
 */
export async function storeAliases(
  { schema, run }: StatementPipeline,
  apps: KnownApps,
  facts: readonly AppEventFact[],
): Promise<void> {
  const rows = identifiersIn(facts).flatMap((entry): readonly AliasRow[] => {
    const app = apps.get(entry.last.appId);
    return app === undefined ? [] : [{ ...entry, alias: aliasOf(app.salt, entry.kind, entry.identifier) }];
  });
  if (rows.length === 0) return;
  const { text, names, values } = unnest(rows, columns, "sent");
  const isLater = "(excluded.at, excluded.position) > (known.at, known.position)";
  const isOtherDevice = "excluded.device_key <> known.device_key";
  await run(
    `insert into ${schema}.device_aliases as known (${names})
     select ${names}
     from ${text}
     on conflict (app_id, alias) do update
     set device_key = case when ${isLater} then excluded.device_key else known.device_key end,
         at = greatest(excluded.at, known.at),
         position = case when ${isLater} then excluded.position else known.position end,
         is_shared = known.is_shared or excluded.is_shared or ${isOtherDevice}
     where ${isLater} or not known.is_shared and (excluded.is_shared or ${isOtherDevice})`,
    values,
  );
}

/** One entry for each identifier: a statement cannot update a row twice. */
function identifiersIn(facts: readonly AppEventFact[]): readonly SentIdentifier[] {
  const identifiers = new Map<string, SentIdentifier>();
  for (const fact of facts) {
    const { partnerDeviceId, externalUserId } = fact.event.data.person;
    if (partnerDeviceId !== undefined) addIdentifier(identifiers, "partner_device_id", partnerDeviceId, fact);
    if (externalUserId !== undefined) addIdentifier(identifiers, "service_external_user_id", externalUserId, fact);
  }
  return [...identifiers.values()];
}

function addIdentifier(
  identifiers: Map<string, SentIdentifier>,
  kind: AliasKind,
  text: string,
  fact: AppEventFact,
): void {
  const identifier = trimmedIdentifier(text);
  if (identifier === "") return;
  const key = `${fact.appId} ${kind} ${identifier}`;
  const known = identifiers.get(key);
  if (known === undefined) {
    identifiers.set(key, { kind, identifier, last: fact, isShared: false });
    return;
  }
  const last = precedes(known.last, fact) ? fact : known.last;
  const isShared = known.isShared || known.last.deviceKey !== fact.deviceKey;
  identifiers.set(key, { kind, identifier, last, isShared });
}

const installColumns: Columns<AppEventFact> = {
  app_id: { type: "integer", of: ({ appId }) => appId },
  device_key: { type: "uuid", of: ({ deviceKey }) => deviceKey },
  event_id: { type: "uuid", of: ({ eventId }) => eventId },
  at: { type: "timestamptz", of: ({ event }) => event.data.at },
  position: { type: "bigint", of: ({ position }) => position },
};

/** Stores the latest install of each device, by event time, then position (contract/prediction.md#checks). */
export async function storeInstalls({ schema, run }: StatementPipeline, facts: readonly AppEventFact[]): Promise<void> {
  const latest = new Map<string, AppEventFact>();
  for (const fact of facts) {
    if (fact.category !== "app_install") continue;
    const key = `${fact.appId} ${fact.deviceKey}`;
    const known = latest.get(key);
    if (known === undefined || precedes(known, fact)) latest.set(key, fact);
  }
  if (latest.size === 0) return;
  const { text, names, values } = unnest([...latest.values()], installColumns, "install");
  await run(
    `insert into ${schema}.device_installs as known (${names})
     select ${names}
     from ${text}
     on conflict (app_id, device_key) do update
     set event_id = excluded.event_id, at = excluded.at, position = excluded.position
     where (excluded.at, excluded.position) > (known.at, known.position)`,
    values,
  );
}

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
 * What is kept of an identifier in place of it (contract/prediction.md#recorded-calls): HMAC-SHA256 with the app's salt
 * over its kind and itself, 64 hex digits. The identifier must be trimmed (`trimmedIdentifier`).
 */
export function identifierHash(salt: string, kind: IdentifierKind, identifier: string): string {
  return crypto.createHmac("sha256", Buffer.from(salt, "hex")).update(`${kind}\n${identifier}`).digest("hex");
}

/** The first half of an {@link identifierHash}, written as a UUID: what stored identifiers are found by. */
export function aliasOf(salt: string, kind: AliasKind, identifier: string): string {
  const hex = identifierHash(salt, kind, identifier);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}

/** Who has sent an identifier in a batch. */
interface Sent {
  readonly kind: AliasKind;
  readonly identifier: string;
  /** By event time, then position. */
  readonly last: AppEventFact;
  readonly isShared: boolean;
}

interface AliasRow extends Sent {
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
 * Keeps of every identifier that new app events carry which device has sent it last, and whether another one has ever
 * (contract/prediction.md#checks). Events of apps that are not registered are refused elsewhere.
 */
export async function storeAliases(
  { schema, run }: StatementPipeline,
  apps: KnownApps,
  facts: readonly AppEventFact[],
): Promise<void> {
  const rows = sentBy(facts).flatMap((sent): readonly AliasRow[] => {
    const app = apps.get(sent.last.appId);
    return app === undefined ? [] : [{ ...sent, alias: aliasOf(app.salt, sent.kind, sent.identifier) }];
  });
  if (rows.length === 0) return;
  const { text, names, values } = unnest(rows, columns, "sent");
  const isLater = "(excluded.at, excluded.position) > (known.at, known.position)";
  const isOfAnother = "excluded.device_key <> known.device_key";
  await run(
    `insert into ${schema}.device_aliases as known (${names}) select ${names} from ${text}
     on conflict (app_id, alias) do update set
       device_key = case when ${isLater} then excluded.device_key else known.device_key end,
       at = greatest(excluded.at, known.at),
       position = case when ${isLater} then excluded.position else known.position end,
       is_shared = known.is_shared or excluded.is_shared or ${isOfAnother}
     where ${isLater} or not known.is_shared and (excluded.is_shared or ${isOfAnother})`,
    values,
  );
}

/** One entry for each identifier, so that a statement meets no row twice. */
function sentBy(facts: readonly AppEventFact[]): readonly Sent[] {
  const sent = new Map<string, Sent>();
  for (const fact of facts) {
    const { partnerDeviceId, externalUserId } = fact.event.data.person;
    if (partnerDeviceId !== undefined) note(sent, "partner_device_id", partnerDeviceId, fact);
    if (externalUserId !== undefined) note(sent, "service_external_user_id", externalUserId, fact);
  }
  return [...sent.values()];
}

function note(sent: Map<string, Sent>, kind: AliasKind, text: string, fact: AppEventFact): void {
  const identifier = trimmedIdentifier(text);
  if (identifier === "") return;
  const key = `${fact.appId} ${kind} ${identifier}`;
  const known = sent.get(key);
  if (known === undefined) {
    sent.set(key, { kind, identifier, last: fact, isShared: false });
    return;
  }
  const last = precedes(known.last, fact) ? fact : known.last;
  const isShared = known.isShared || known.last.deviceKey !== fact.deviceKey;
  sent.set(key, { kind, identifier, last, isShared });
}

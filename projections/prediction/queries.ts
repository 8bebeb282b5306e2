import type { StreamName } from "../../domain/streams.ts";
import { uuidOf } from "../../domain/values/uuid.ts";
import type { ReadModel } from "../projection.ts";

/** The position of a call in the log. */
export interface StoredCall {
  readonly stream: StreamName<"contextCalls">;
  readonly revision: bigint;
}

/** The call of an app with a request id; null when there is none, also for a text that is not a UUID. */
export async function findCall(
  { db, schema }: ReadModel,
  appId: number,
  requestId: string,
): Promise<StoredCall | null> {
  const id = uuidOf(requestId);
  if (id === null) return null;
  const { rows } = await db.raw<{ rows: readonly StoredCall[] }>(
    `select stream, revision from ${schema}.context_calls where app_id = ? and request_id = ?`,
    [appId, id],
  );
  return rows[0] ?? null;
}

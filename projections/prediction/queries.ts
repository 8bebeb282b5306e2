import { uuidOf } from "../../domain/values/uuid.ts";
import type { ReadModel } from "../projection.ts";

/** Where the log has a call. */
export interface StoredCall {
  readonly stream: string;
  readonly revision: bigint;
}

/** The call of an app that has a request id; null when there is none, as of a text that is no UUID. */
export async function findCall(
  { db, schema }: ReadModel,
  appId: number,
  requestId: string,
): Promise<StoredCall | null> {
  const id = uuidOf(requestId);
  if (id === null) return null;
  const { rows }: { rows: readonly { readonly stream: string; readonly revision: bigint | string }[] } = await db.raw(
    `select stream, revision from ${schema}.context_calls where app_id = ? and request_id = ?`,
    [appId, id],
  );
  const [call] = rows;
  return call === undefined ? null : { stream: call.stream, revision: BigInt(call.revision) };
}

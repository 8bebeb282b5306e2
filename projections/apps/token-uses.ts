import type { ReadModel } from "../projection.ts";

/** When tokens were last used, by their ids. */
export type TokenUses = ReadonlyMap<string, Date>;

/** Stores uses in one statement; a later use that is stored already is kept. */
export async function storeTokenUses(db: ReadModel["db"], uses: TokenUses): Promise<void> {
  await db.raw(
    // In a fixed order, so that processes that store the same tokens do not deadlock.
    `insert into work.token_uses as stored (token_id, used_at)
     select token_id, used_at
     from unnest(:tokenIds::text[], :usedAt::timestamptz[]) as used (token_id, used_at)
     order by token_id
     on conflict (token_id) do update set used_at = excluded.used_at
     where stored.used_at < excluded.used_at`,
    { tokenIds: [...uses.keys()], usedAt: [...uses.values()].map((at) => at.toISOString()) },
  );
}

/** The stored uses of tokens; those without one are not among them. */
export async function storedTokenUses(db: ReadModel["db"], tokenIds: readonly string[]): Promise<TokenUses> {
  const { rows } = await db.raw<{ rows: readonly { readonly tokenId: string; readonly usedAt: Date }[] }>(
    `select token_id as "tokenId", used_at as "usedAt" from work.token_uses where token_id = any(:tokenIds::text[])`,
    { tokenIds: [...tokenIds] },
  );
  return new Map(rows.map(({ tokenId, usedAt }) => [tokenId, usedAt]));
}

import type { Knex } from "knex";
import { createTokenUseRecorder, type TokenUseRecorder } from "../../commands/tokens/token-uses.ts";
import { storedTokenUses, storeTokenUses } from "../../projections/apps/token-uses.ts";
import type { Log } from "../process/log.ts";

/** When tokens were last used (contract/tokens.md#last-use), in the database of the read models. */
export function openTokenUses(db: Knex, log: Log): TokenUseRecorder {
  return createTokenUseRecorder({
    storeUses: (uses) => storeTokenUses(db, uses),
    storedUses: (tokenIds) => storedTokenUses(db, tokenIds),
    onFailure: (failure) => log.warn({ err: failure }, "the last uses of tokens could not be stored"),
  });
}

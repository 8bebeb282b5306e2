import type { TokenCheck } from "./token-check.ts";

/** When tokens were last used (contract/tokens.md#last-use), by their ids. */
export type TokenUses = ReadonlyMap<string, Date>;

export interface TokenUseRecorder {
  /** Notes in memory that a token is used now. */
  note(tokenId: string): void;
  /** The last uses of tokens, including those that are not stored yet. */
  lastUsesOf(tokenIds: readonly string[]): Promise<TokenUses>;
  /** Stores the uses noted so far; a failure is reported and retried a minute later. */
  store(): Promise<void>;
  /** Stops the timer, and stores what was noted. */
  close(): Promise<void>;
}

export interface TokenUseOptions {
  /** Stores uses with one statement; a later use that is stored already is kept. */
  storeUses(uses: TokenUses): Promise<void>;
  storedUses(tokenIds: readonly string[]): Promise<TokenUses>;
  readonly onFailure: (failure: unknown) => void;
  readonly now?: () => number;
}

const intervalMs = 60_000;
/** Tokens that are noted until they are stored; further ones are not noted in that minute. */
export const maxNotedTokens = 20_000;

/** Notes uses in memory and stores them once a minute, each token at most once and all in one statement. */
export function createTokenUseRecorder(options: TokenUseOptions): TokenUseRecorder {
  const { storeUses, storedUses, onFailure, now = Date.now } = options;
  let noted = new Map<string, number>();
  let storing: ReadonlyMap<string, number> = new Map();
  let current: Promise<void> = Promise.resolve();

  async function storeNoted(): Promise<void> {
    if (noted.size === 0) return;
    [storing, noted] = [noted, new Map()];
    try {
      await storeUses(new Map([...storing].map(([tokenId, at]) => [tokenId, new Date(at)])));
    } catch (failure) {
      for (const [tokenId, at] of storing)
        if (!noted.has(tokenId) && noted.size < maxNotedTokens) noted.set(tokenId, at);
      onFailure(failure);
    }
    storing = new Map();
  }
  const store = (): Promise<void> => {
    current = current.then(storeNoted);
    return current;
  };
  const timer = setInterval(store, intervalMs);
  timer.unref();

  return {
    note(tokenId) {
      if (noted.size < maxNotedTokens || noted.has(tokenId)) noted.set(tokenId, now());
    },
    async lastUsesOf(tokenIds) {
      const [inMemory, inStore] = [[noted, storing], await storedUses(tokenIds)];
      return new Map(
        tokenIds.flatMap((tokenId) => {
          const times = inMemory.flatMap((uses) => uses.get(tokenId) ?? []);
          const last = Math.max(...times, inStore.get(tokenId)?.getTime() ?? Number.NEGATIVE_INFINITY);
          return Number.isFinite(last) ? [[tokenId, new Date(last)] as const] : [];
        }),
      );
    },
    store,
    async close() {
      clearInterval(timer);
      await store();
    },
  };
}

/** Notes each call whose token is known. */
export function notingUses(check: TokenCheck, { note }: Pick<TokenUseRecorder, "note">): TokenCheck {
  return async (...call) => {
    const caller = await check(...call);
    if (typeof caller === "object" && caller.kind === "token") note(caller.tokenId);
    return caller;
  };
}

import type { TokenCheck } from "./token-check.ts";

/** When tokens were last used (contract/tokens.md#last-use), by their ids. */
export type TokenUses = ReadonlyMap<string, Date>;

export interface TokenUseRecorder {
  /** Notes in memory that a token is used now. */
  note(tokenId: string): void;
  /** Stores what was noted, and returns the last uses of tokens. */
  lastUsesOf(tokenIds: readonly string[]): Promise<TokenUses>;
  /** Stops the timer, and stores what was noted. */
  close(): Promise<void>;
}

export interface TokenUseOptions {
  /** Stores uses with one statement; a later use that is stored already is kept. */
  storeUses(uses: TokenUses): Promise<void>;
  storedUses(tokenIds: readonly string[]): Promise<TokenUses>;
  readonly onFailure: (failure: unknown) => void;
  readonly now?: () => Date;
}

const intervalMs = 60_000;

/**
 * Notes uses in memory and stores them once a minute, each token at most once and all in one statement. What cannot be
 * stored is reported, and stored with later uses.
 */
export function createTokenUseRecorder(options: TokenUseOptions): TokenUseRecorder {
  const { storeUses, storedUses, onFailure, now = () => new Date() } = options;
  let noted = new Map<string, Date>();
  let storing: Promise<void> = Promise.resolve();

  async function storeNoted(): Promise<void> {
    const uses = noted;
    noted = new Map();
    try {
      if (uses.size > 0) await storeUses(uses);
    } catch (failure) {
      noted = new Map([...uses, ...noted]);
      onFailure(failure);
    }
  }
  const store = (): Promise<void> => {
    storing = storing.then(storeNoted);
    return storing;
  };
  const timer = setInterval(store, intervalMs);
  timer.unref();

  return {
    note(tokenId) {
      noted.set(tokenId, now());
    },
    async lastUsesOf(tokenIds) {
      await store();
      return storedUses(tokenIds);
    },
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

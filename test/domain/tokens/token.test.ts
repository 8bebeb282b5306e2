import { suite } from "uvu";
import * as assert from "uvu/assert";
import { fold, isRejection } from "../../../domain/decider.ts";
import type { TokenEvent } from "../../../domain/tokens/events.ts";
import { type TokenCommand, token } from "../../../domain/tokens/token.ts";

const tokenId = "0123456789abcdef0123456789abcdef";
const issued = {
  type: "TokenIssued",
  data: {
    tokenId,
    secretHashRest: "f".repeat(32),
    kind: "api",
    role: "owner",
    appId: 1,
    channels: [],
    label: null,
  },
} as const satisfies TokenEvent;
const revoked = { type: "TokenRevoked", data: { tokenId, appId: 1 } } as const satisfies TokenEvent;

const issue: TokenCommand = { kind: "issue", token: issued.data };
const revoke: TokenCommand = { kind: "revoke", appId: 1 };
const histories: readonly (readonly TokenEvent[])[] = [[], [issued], [issued, revoked]];

const decide = (given: readonly TokenEvent[], when: TokenCommand) => token.decide(when, fold(token, given));

const life = suite("a token");

life("is issued, then revoked", () => {
  assert.equal(decide([], issue), [issued]);
  assert.equal(decide([issued], revoke), [revoked]);
});

life("is issued once: another secret of the same id, and a revoked one, are refused", () => {
  const other: TokenCommand = { kind: "issue", token: { ...issued.data, secretHashRest: "e".repeat(32) } };
  assert.equal(decide([issued], other), { rejected: "TOKEN_ID_TAKEN" });
  assert.equal(decide([issued, revoked], issue), { rejected: "TOKEN_ID_TAKEN" });
});

life("is not there for another app, nor before it was issued", () => {
  assert.equal(decide([issued], { kind: "revoke", appId: 2 }), { rejected: "TOKEN_NOT_FOUND" });
  assert.equal(decide([issued, revoked], { kind: "revoke", appId: 2 }), { rejected: "TOKEN_NOT_FOUND" });
  assert.equal(decide([], revoke), { rejected: "TOKEN_NOT_FOUND" });
});

life("decides twice as once", () => {
  for (const given of histories) {
    for (const command of [issue, revoke]) {
      const decided = decide(given, command);
      if (!isRejection(decided)) assert.equal(decide([...given, ...decided], command), []);
    }
  }
});

life.run();

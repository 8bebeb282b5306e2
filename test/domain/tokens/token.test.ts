import fc from "fast-check";
import { suite } from "uvu";
import type { TokenEvent } from "../../../domain/tokens/events.ts";
import { type TokenCommand, token } from "../../../domain/tokens/token.ts";
import { addRules, assertDecidesOnce } from "../../support/decider-specification.ts";

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

const issue: TokenCommand = { type: "IssueToken", token: issued.data };
const revoke: TokenCommand = { type: "RevokeToken", appId: 1 };

const other: TokenCommand = { type: "IssueToken", token: { ...issued.data, secretHashRest: "e".repeat(32) } };
const revokeForOther: TokenCommand = { type: "RevokeToken", appId: 2 };
const taken = { rejected: "TOKEN_ID_TAKEN" } as const;
const notFound = { rejected: "TOKEN_NOT_FOUND" } as const;

const life = suite("a token");

addRules(life, token, [
  ["is issued", [], issue, [issued]],
  ["is revoked", [issued], revoke, [revoked]],
  ["is not issued with another secret", [issued], other, taken],
  ["is not issued again after it was revoked", [issued, revoked], issue, taken],
  ["is not found for another app", [issued], revokeForOther, notFound],
  ["is not found for another app after it was revoked", [issued, revoked], revokeForOther, notFound],
  ["is not found before it is issued", [], revoke, notFound],
]);

life("decides twice as once", () => {
  assertDecidesOnce(token, fc.constantFrom(issue, revoke));
});

life.run();

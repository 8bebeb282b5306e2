import fc from "fast-check";
import { suite } from "uvu";
import type { TokenEvent } from "../../../domain/tokens/events.ts";
import { type TokenCommand, token } from "../../../domain/tokens/token.ts";
import { assertDecidesOnce, specification } from "../../support/specification.ts";

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

const { given } = specification(token);

const life = suite("a token");

life("is issued, then revoked", () => {
  given().when(issue).then([issued]);
  given(issued).when(revoke).then([revoked]);
});

life("is issued once: another secret of the same id, and a revoked one, are refused", () => {
  const other: TokenCommand = { kind: "issue", token: { ...issued.data, secretHashRest: "e".repeat(32) } };
  given(issued).when(other).then({ rejected: "TOKEN_ID_TAKEN" });
  given(issued, revoked).when(issue).then({ rejected: "TOKEN_ID_TAKEN" });
});

life("is not there for another app, nor before it was issued", () => {
  given(issued).when({ kind: "revoke", appId: 2 }).then({ rejected: "TOKEN_NOT_FOUND" });
  given(issued, revoked).when({ kind: "revoke", appId: 2 }).then({ rejected: "TOKEN_NOT_FOUND" });
  given().when(revoke).then({ rejected: "TOKEN_NOT_FOUND" });
});

life("decides twice as once", () => {
  assertDecidesOnce(token, fc.constantFrom(issue, revoke));
});

life.run();

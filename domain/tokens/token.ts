import { assertNever, type Decider, type Rejection } from "../decider.ts";
import type { TokenEvent, TokenIssued } from "./events.ts";

export type TokenCommand =
  | { readonly type: "IssueToken"; readonly token: TokenIssued["data"] }
  | { readonly type: "RevokeToken"; readonly appId: number };

export type TokenState =
  | { readonly stage: "absent" }
  | { readonly stage: "issued"; readonly token: TokenIssued["data"] }
  | { readonly stage: "revoked"; readonly token: TokenIssued["data"] };

export type TokenRejection = "TOKEN_NOT_FOUND" | "TOKEN_ID_TAKEN";

type Decision = readonly TokenEvent[] | Rejection<TokenRejection>;

function decide(command: TokenCommand, state: TokenState): Decision {
  switch (command.type) {
    case "IssueToken":
      return issue(command.token, state);
    case "RevokeToken":
      return revoke(command.appId, state);
    default:
      return assertNever(command);
  }
}

/** The id is a hash of the secret: an id in use is the same token issued before, or a collision. */
function issue(token: TokenIssued["data"], state: TokenState): Decision {
  if (state.stage === "absent") return [{ type: "TokenIssued", data: token }];
  const isSame = state.stage === "issued" && state.token.secretHashRest === token.secretHashRest;
  return isSame ? [] : { rejected: "TOKEN_ID_TAKEN" };
}

/** A token of another app is not found. */
function revoke(appId: number, state: TokenState): Decision {
  if (state.stage === "absent" || state.token.appId !== appId) return { rejected: "TOKEN_NOT_FOUND" };
  if (state.stage === "revoked") return [];
  return [{ type: "TokenRevoked", data: { tokenId: state.token.tokenId, appId } }];
}

function evolve(state: TokenState, event: TokenEvent): TokenState {
  switch (event.type) {
    case "TokenIssued":
      return { stage: "issued", token: event.data };
    case "TokenRevoked":
      return state.stage === "absent" ? state : { stage: "revoked", token: state.token };
    default:
      return assertNever(event);
  }
}

/** One token (contract/tokens.md#kinds): issued once, revoked for ever. */
export const token: Decider<TokenCommand, TokenEvent, TokenState, TokenRejection> = {
  initialState: { stage: "absent" },
  decide,
  evolve,
};

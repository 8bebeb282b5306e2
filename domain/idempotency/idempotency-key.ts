import { assertNever, type Decider } from "../decider.ts";
import type { AnswerStored, IdempotencyEvent, IdempotencyKeyClaimed } from "./events.ts";

/** Takes a key for a request, where nobody has, or what was under it is too old. */
export interface ClaimKey {
  readonly type: "ClaimKey";
  readonly data: IdempotencyKeyClaimed["data"];
}

/** Keeps the answer of the request that has the key. */
export interface StoreAnswer {
  readonly type: "StoreAnswer";
  readonly data: AnswerStored["data"];
}

export type IdempotencyCommand = ClaimKey | StoreAnswer;
export type IdempotencyRejection = "IDEMPOTENCY_KEY_REUSED";

interface Taken {
  readonly requestHash: string;
  /** How often the key has been claimed, this time included: the same key is another request a day later. */
  readonly claims: number;
  /** Of the claim, then of the answer: the key is free again 24 h later. */
  readonly since: string;
}

export type IdempotencyState =
  | { readonly stage: "free" }
  | ({ readonly stage: "claimed" } & Taken)
  | ({ readonly stage: "answered"; readonly answer: AnswerStored["data"] } & Taken);

/** How long an answer is kept (contract/http.md#idempotency), in milliseconds. */
const keptFor = 24 * 60 * 60 * 1000;

/** What is under a key at an instant (ISO 8601): nothing once 24 h have passed. */
export function unexpired(state: IdempotencyState, now: string): IdempotencyState {
  return state.stage === "free" || Date.parse(now) - Date.parse(state.since) < keptFor ? state : { stage: "free" };
}

/** One `Idempotency-Key` of an app (contract/http.md#idempotency). */
export const idempotencyKey: Decider<IdempotencyCommand, IdempotencyEvent, IdempotencyState, IdempotencyRejection> = {
  initialState: { stage: "free" },

  decide(command, state) {
    switch (command.type) {
      case "ClaimKey": {
        const taken = unexpired(state, command.data.claimedAt);
        if (taken.stage === "free") return [{ type: "IdempotencyKeyClaimed", data: command.data }];
        return taken.requestHash === command.data.requestHash ? [] : { rejected: "IDEMPOTENCY_KEY_REUSED" };
      }
      case "StoreAnswer": {
        if (state.stage === "free" || state.requestHash !== command.data.requestHash) {
          return { rejected: "IDEMPOTENCY_KEY_REUSED" };
        }
        return state.stage === "claimed" ? [{ type: "AnswerStored", data: command.data }] : [];
      }
    }
    return assertNever(command);
  },

  evolve(state, event) {
    const { requestHash } = event.data;
    switch (event.type) {
      case "IdempotencyKeyClaimed": {
        const claims = state.stage === "free" ? 1 : state.claims + 1;
        return { stage: "claimed", requestHash, claims, since: event.data.claimedAt };
      }
      case "AnswerStored": {
        const claims = state.stage === "free" ? 0 : state.claims;
        return { stage: "answered", requestHash, claims, since: event.data.answeredAt, answer: event.data };
      }
    }
    return assertNever(event);
  },
};

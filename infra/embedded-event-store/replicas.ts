import { EventEmitter } from "node:events";
import type { Storage } from "./storage.ts";

/** The part of the store that reads and subscriptions see. */
export interface Replica {
  readonly storage: Storage;
  readonly commits: CommitSignal;
  /** Position of the last event that this replica shows; 0 when there is none. */
  readonly head: () => number;
}

/**
 * The replicas of a store: the leader shows what is on disk, a follower shows it `lagMs` later. `committed` is called with
 * the streams of each commit.
 */
export function createReplicas(storage: Storage, lagMs: number) {
  const leader: Replica = { storage, commits: createCommitSignal(), head: () => storage.head };
  if (lagMs === 0) return { leader, follower: leader, committed: leader.commits.committed };
  let followed = storage.head;
  const follower: Replica = { storage, commits: createCommitSignal(), head: () => followed };
  const committed = (streams: Iterable<string>): void => {
    const [head, changed] = [storage.head, [...streams]];
    leader.commits.committed(changed);
    setTimeout(() => {
      followed = head;
      follower.commits.committed(changed);
    }, lagMs).unref();
  };
  return { leader, follower, committed };
}

/** Wakes subscriptions after a commit. No events are queued: a subscription reads new ones from the log. */
interface CommitSignal {
  /** Calls `wake` once after the next commit (to this stream, when one is named); the result cancels that. */
  once(stream: string | null, wake: () => void): () => void;
  /** Events of these streams have become readable. */
  committed(streams: Iterable<string>): void;
}

function createCommitSignal(): CommitSignal {
  const signal = new EventEmitter().setMaxListeners(0);
  const nameOf = (stream: string | null): string => (stream === null ? "any stream" : `stream ${stream}`);
  return {
    once(stream, wake) {
      signal.once(nameOf(stream), wake);
      return () => signal.off(nameOf(stream), wake);
    },
    committed(streams) {
      for (const stream of streams) signal.emit(nameOf(stream));
      signal.emit(nameOf(null));
    },
  };
}

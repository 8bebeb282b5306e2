import { isOwnStream } from "../../domain/streams.ts";

/** How the streams of an instance are named in a store that others use too. */
export interface StreamNames {
  /** Text before each name of ours in the store; `""`: none. */
  readonly prefix: string;
  /** Whether a name, without the prefix, is one of ours. */
  isOwn(name: string): boolean;
}

/** Every stream of the store, under its own name. */
export const allStreams: StreamNames = { prefix: "", isOwn: () => true };

/** The streams of the instance whose `EVENT_STREAM_PREFIX` it is. */
export function streamsOfInstance(prefix: string): StreamNames {
  return { prefix, isOwn: isOwnStream };
}

/** The name of a stream without the prefix; null: the stream is another application's, or the system's. */
export function ownName(stored: string, { prefix, isOwn }: StreamNames): string | null {
  if (stored.startsWith("$") || !stored.startsWith(prefix)) return null;
  const name = stored.slice(prefix.length);
  return isOwn(name) ? name : null;
}

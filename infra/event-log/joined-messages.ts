/** What gRPC puts before every message: a flag (not compressed) and the length. */
const FRAME = 5;

/**
 * Several messages of a call that leave in one write. grpc-js sends a message, waits until the socket has taken it,
 * and sends the next: a system call and a TLS record per event. It frames what it is given by its length and with its
 * `copy`; here the messages behind the first bring their own frames, and `copy` corrects the length of the first.
 * Halves the cost of an append of 500 events (41 to 21 us of CPU per event, both sides). Should a later version frame
 * otherwise, servers refuse what arrives as no message, and no test of this log passes.
 */
export function joinedMessages(first: Buffer, rest: readonly Buffer[]): Buffer {
  const length = rest.reduce((sum, message) => sum + FRAME + message.length, first.length);
  const joined = Buffer.allocUnsafe(length);
  let at = first.copy(joined, 0);
  for (const message of rest) {
    joined[at] = 0;
    joined.writeUInt32BE(message.length, at + 1);
    at += FRAME + message.copy(joined, at + FRAME);
  }
  joined.copy = (target: Uint8Array, start = 0) => {
    target.set(joined, start);
    new DataView(target.buffer, target.byteOffset).setUint32(start - FRAME + 1, first.length);
    return length;
  };
  return joined;
}

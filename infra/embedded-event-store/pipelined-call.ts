import { ServerInterceptingCall, type ServerInterceptor } from "@grpc/grpc-js";

/** Bytes that a call may have under way to its socket. */
const WINDOW = 64 * 1024;

/**
 * grpc-js hands one message of a call to the socket, waits until it has gone, and hands over the next: a write, and a
 * TLS record, per event. With some of them under way at once, HTTP/2 writes them together. The window keeps the
 * waiting of a slow client what it was.
 */
class PipelinedCall extends ServerInterceptingCall {
  private underWay = 0;
  private held: (() => void) | null = null;

  override sendMessage(message: unknown, sent: () => void): void {
    const bytes = message instanceof Uint8Array ? message.length : 0;
    this.underWay += bytes;
    super.sendMessage(message, () => {
      this.underWay -= bytes;
      if (this.underWay >= WINDOW) return;
      const goOn = this.held;
      this.held = null;
      goOn?.();
    });
    if (this.underWay < WINDOW) sent();
    else this.held = sent;
  }
}

export const pipelined: ServerInterceptor = (method, call) =>
  method.responseStream ? new PipelinedCall(call) : new ServerInterceptingCall(call);

import { ServerInterceptingCall, type ServerInterceptor, type ServerWritableStream } from "@grpc/grpc-js";

/** The sending side of a call: buffers only a few messages, and makes the sender wait for the client. */
export class MessageSender {
  private readonly call: ServerWritableStream<unknown, Buffer>;
  private wake: (() => void) | null = null;
  private isOver = false;

  constructor(call: ServerWritableStream<unknown, Buffer>) {
    this.call = call;
    const end = () => {
      this.isOver = true;
      this.wake?.();
    };
    call.on("cancelled", end);
    call.on("close", end);
    call.on("error", end);
    call.on("drain", () => this.wake?.());
  }

  /** Whether the client has gone. */
  get ended(): boolean {
    return this.isOver || this.call.cancelled;
  }

  /** Sends a message. When it returns false, await {@link MessageSender.ready} before the next one. */
  send(message: Buffer): boolean {
    return this.ended || this.call.write(message);
  }

  /** Resolves when the client has received what was sent, or has gone. */
  ready(): Promise<void> {
    return this.pause((wake) => {
      if (!this.call.writableNeedDrain) wake();
    });
  }

  /** Waits until the `wake` that `arrange` receives is called, or the client has gone. */
  pause(arrange: (wake: () => void) => void): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        this.wake = null;
        resolve();
      };
      this.wake = wake;
      if (this.ended) wake();
      else arrange(wake);
    });
  }
}

/** Maximum bytes of a call that are being written to the socket. */
const windowBytes = 64 * 1024;

/**
 * grpc-js writes one message of a call to the socket, waits until it is sent, and writes the next: one write, and one
 * TLS record, per event. With several on their way at once HTTP/2 writes them together. The window keeps the
 * back-pressure of a slow client.
 */
class PipelinedCall extends ServerInterceptingCall {
  private bytesInFlight = 0;
  private heldBack: (() => void) | null = null;

  override sendMessage(message: unknown, sent: () => void): void {
    const bytes = message instanceof Uint8Array ? message.length : 0;
    this.bytesInFlight += bytes;
    super.sendMessage(message, () => {
      this.bytesInFlight -= bytes;
      if (this.bytesInFlight >= windowBytes) return;
      const resume = this.heldBack;
      this.heldBack = null;
      resume?.();
    });
    if (this.bytesInFlight < windowBytes) sent();
    else this.heldBack = sent;
  }
}

export const pipelined: ServerInterceptor = (method, call) =>
  method.responseStream ? new PipelinedCall(call) : new ServerInterceptingCall(call);

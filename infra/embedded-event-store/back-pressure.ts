import type { ServerWritableStream } from "@grpc/grpc-js";

/** The sending side of a call that never holds more than a few messages: a writer waits for the client. */
export class PacedWrites {
  private readonly call: ServerWritableStream<unknown, Buffer>;
  private wake: (() => void) | null = null;
  private over = false;

  constructor(call: ServerWritableStream<unknown, Buffer>) {
    this.call = call;
    const end = () => {
      this.over = true;
      this.wake?.();
    };
    call.on("cancelled", end);
    call.on("close", end);
    call.on("drain", () => this.wake?.());
  }

  /** The client has gone. */
  get ended(): boolean {
    return this.over || this.call.cancelled;
  }

  /** Takes a message; when it answers false, wait with {@link PacedWrites.ready} before the next one. */
  send(message: Buffer): boolean {
    return this.ended || this.call.write(message);
  }

  /** Resolves when the client has taken what was sent, or has gone. */
  ready(): Promise<void> {
    return this.pause((wake) => {
      if (!this.call.writableNeedDrain) wake();
    });
  }

  /** Waits for something else (given the function that ends the wait), or until the client has gone. */
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

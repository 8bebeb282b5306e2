import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A proxy of a server that can stall, be slow, and be cut off. */
export interface BreakableProxy {
  /** The server's connection string, through the proxy. */
  readonly connectionString: string;
  /** What either side sends waits from now on, as with a server that hangs. */
  stall(): void;
  /** What either side sends arrives later by so much, in its order. */
  delay(ms: number): void;
  /** Ends every connection, and refuses new ones. */
  cut(): void;
  /** Nothing comes through the connections of now any more, as when a server is replaced without a word; new ones work. */
  abandon(): void;
  /** The end of all of these, but for abandoned connections. */
  resume(): void;
  close(): Promise<void>;
}

export async function startBreakableProxy(connectionString: string): Promise<BreakableProxy> {
  const { hostname, port } = new URL(connectionString);
  let isStalled = false;
  let isCut = false;
  let delayMs = 0;
  const sockets = new Set<Socket>();
  const abandoned = new Set<Socket>();
  const destroyAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const proxy = createServer((near) => {
    if (isCut) {
      near.destroy();
      return;
    }
    const far = connect(Number(port), hostname);
    for (const [from, to] of [[near, far] as const, [far, near] as const]) {
      sockets.add(from);
      const delayed: Buffer[] = [];
      from.on("data", (bytes) => {
        if (delayMs === 0 && delayed.length === 0) to.write(bytes);
        else {
          delayed.push(bytes);
          setTimeout(() => to.write(delayed.shift() ?? ""), delayMs);
        }
      });
      if (isStalled) from.pause();
      from.on("error", () => {});
      from.on("close", () => {
        sockets.delete(from);
        abandoned.delete(from);
        to.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const url = new URL(connectionString);
  // By name: a certificate is checked by it.
  url.host = `localhost:${(proxy.address() as AddressInfo).port}`;
  return {
    connectionString: url.href,
    stall: () => {
      isStalled = true;
      for (const socket of sockets) socket.pause();
    },
    delay: (ms) => {
      delayMs = ms;
    },
    cut: () => {
      isCut = true;
      destroyAll();
    },
    abandon: () => {
      for (const socket of sockets) abandoned.add(socket.pause());
    },
    resume: () => {
      isStalled = false;
      isCut = false;
      delayMs = 0;
      for (const socket of sockets) if (!abandoned.has(socket)) socket.resume();
    },
    close: async () => {
      destroyAll();
      await new Promise((resolve) => proxy.close(resolve));
    },
  };
}

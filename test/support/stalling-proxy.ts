import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A proxy of a server that can stall: what either side sends waits then, as with a server that hangs. */
export interface StallingProxy {
  /** The server's connection string, through the proxy. */
  readonly connectionString: string;
  stall(): void;
  resume(): void;
  close(): Promise<void>;
}

export async function startStallingProxy(connectionString: string): Promise<StallingProxy> {
  const { hostname, port } = new URL(connectionString);
  let isStalled = false;
  const sockets = new Set<Socket>();
  const proxy = createServer((near) => {
    const far = connect(Number(port), hostname);
    for (const [from, to] of [[near, far] as const, [far, near] as const]) {
      sockets.add(from);
      from.on("data", (bytes) => to.write(bytes));
      if (isStalled) from.pause();
      from.on("error", () => {});
      from.on("close", () => {
        sockets.delete(from);
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
    resume: () => {
      isStalled = false;
      for (const socket of sockets) socket.resume();
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => proxy.close(resolve));
    },
  };
}

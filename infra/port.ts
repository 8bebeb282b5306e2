import { createServer } from "node:net";
import { CannotStart } from "./cannot-start.ts";

/**
 * The port to listen on: `port`, once it is sure that it can be listened on, or any free one when it is 0. Asked before
 * anything is started; somebody else may still take it a moment later.
 * @throws {CannotStart} naming the variable to change
 */
export async function usablePort(host: string | null, port: number): Promise<number> {
  try {
    return await listenOnce(host, port);
  } catch (failure) {
    const code = failure instanceof Error && "code" in failure ? failure.code : null;
    if (code === "EADDRINUSE")
      throw new CannotStart(`Port ${port} is taken. Set PORT to another one, or to 0 for any.`);
    if (code === "EACCES")
      throw new CannotStart(`This user may not listen on port ${port}. Set PORT to 1024 or above.`);
    if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND") {
      throw new CannotStart(`This machine has no address ${host}. Set HOST to one that it has, or leave it out.`);
    }
    throw failure;
  }
}

function listenOnce(host: string | null, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen({ port, ...(host === null ? {} : { host }) }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : port));
    });
  });
}

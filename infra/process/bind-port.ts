import type { RequestListener } from "node:http";
import { type HttpServer, type ListenOptions, listen } from "../http/server/http-server.ts";
import { StartupError } from "./startup-error.ts";

/**
 * Binds the port before the other parts start, so that no other process takes it meanwhile.
 * @param starting responds until the server gets another app
 * @param variable of the environment that has the port
 * @throws {StartupError} naming the variable to change
 */
export async function bindPort(
  starting: RequestListener,
  { host, port }: ListenOptions,
  variable: "PORT" | "OPERATIONS_PORT" = "PORT",
): Promise<HttpServer> {
  try {
    return await listen(starting, { host, port });
  } catch (failure) {
    const code = failure instanceof Error && "code" in failure ? failure.code : null;
    if (code === "EADDRINUSE")
      throw new StartupError(`Port ${port} is taken. Set ${variable} to another one, or to 0 for any.`);
    if (code === "EACCES")
      throw new StartupError(`This user may not listen on port ${port}. Set ${variable} to 1024 or above.`);
    if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND") {
      throw new StartupError(`This machine has no address ${host}. Set HOST to one that it has, or leave it out.`);
    }
    throw failure;
  }
}

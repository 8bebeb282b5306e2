import type { RequestListener } from "node:http";
import { type HttpServer, type ListenOptions, listen } from "../http/server/http-server.ts";
import { StartupError } from "./startup-error.ts";

/** The setting that holds a port. */
type PortSetting = "PORT" | "OPERATIONS_PORT" | "--port";

/**
 * Binds the port before the other parts start, so that no other process takes it meanwhile.
 * @param starting responds until the server gets another app
 * @throws {StartupError} naming the setting to change
 */
export function bindPort(
  starting: RequestListener,
  { host, port }: ListenOptions,
  setting: PortSetting = "PORT",
): Promise<HttpServer> {
  return orPortError({ host, port }, setting, () => listen(starting, { host, port }));
}

/** Rejects with {@link StartupError}, naming the setting to change, when `work` cannot listen; with its failure otherwise. */
export async function orPortError<Result>(
  { host, port }: ListenOptions,
  setting: PortSetting,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (failure) {
    const { code, syscall } = failure as NodeJS.ErrnoException;
    if (code === "EADDRINUSE")
      throw new StartupError(`Port ${port} is taken. Set ${setting} to another one, or to 0 for any.`);
    if (code === "EACCES" && syscall === "listen")
      throw new StartupError(`This user may not listen on port ${port}. Set ${setting} to 1024 or above.`);
    if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND") {
      throw new StartupError(`This machine has no address ${host}. Set HOST to one that it has, or leave it out.`);
    }
    throw failure;
  }
}

import type { RequestListener } from "node:http";
import { createHeldRequests } from "../http/server/held-requests.ts";
import { type HttpServer, type ListenOptions, listen } from "../http/server/http-server.ts";
import type { Listener } from "../http/server/listeners.ts";
import { isMonitoring } from "../http/server/monitoring-endpoints.ts";
import { StartupError } from "./startup-error.ts";

/** Of an address of another machine, of a name that is not found, and of one whose name server does not respond. */
const noAddressCodes = ["EADDRNOTAVAIL", "ENOTFOUND", "EAI_AGAIN"];

/** The setting that holds a port. */
type PortSetting = "PORT" | "OPERATIONS_PORT" | "--port";

/**
 * Binds the port before the other parts start, so that no other process takes it meanwhile. Requests wait for the app that
 * is served next, so that a proxy which sends them to a process that starts passes on no failure.
 * @param starting responds until then to monitoring, and to requests that waited in vain
 * @throws {StartupError} naming the setting to change
 */
export async function bindPort(
  starting: RequestListener,
  { host, port }: ListenOptions,
  listener: Listener = "only",
): Promise<HttpServer> {
  const setting = listener === "operations" ? "OPERATIONS_PORT" : "PORT";
  const held = createHeldRequests(starting);
  const firstApp: RequestListener = (request, response) => {
    const respond = isMonitoring(request, listener) ? starting : held.hold;
    respond(request, response);
  };
  const server = await orPortError({ host, port }, setting, () => listen(firstApp, { host, port }));
  return {
    port: server.port,
    serve: (app) => {
      server.serve(app);
      held.passTo(app);
    },
    close: (drainOver) => {
      held.passTo(starting);
      return server.close(drainOver);
    },
  };
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
    if (noAddressCodes.includes(code ?? "")) {
      throw new StartupError(`This machine has no address "${host}". Set HOST to one that it has, or leave it out.`);
    }
    throw failure;
  }
}

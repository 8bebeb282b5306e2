import { join } from "node:path";
import {
  type AppTokens,
  type RunningApplication,
  registerApp,
  runApplication,
  temporaryDirectory,
} from "./application-process.ts";
import { testPostgres } from "./stores.ts";

/** Touchledger in a process of its own, with the shop registered. */
export interface RunningShop {
  /** A temporary directory; the data directory is `data` in it. */
  readonly directory: string;
  readonly data: string;
  /** The current process. */
  readonly application: RunningApplication;
  readonly tokens: AppTokens;
  /** Kills the process and starts another one on the same data and port. */
  restart(): Promise<void>;
  /** Stops the process and deletes the directory. */
  end(): Promise<void>;
}

/**
 * Its Postgres is the one of the test run, unless `settings` have a `DATABASE_URL`; an empty one is the managed Postgres.
 * @param app the registration, by default that of the example shop
 */
export async function runShop(settings: Readonly<Record<string, string>> = {}, app?: object): Promise<RunningShop> {
  const environment = { DATABASE_URL: settings.DATABASE_URL ?? (await testPostgres()), ...settings };
  const temporary = await temporaryDirectory();
  const data = join(temporary.path, "data");
  let application = await runApplication(data, environment);
  return {
    directory: temporary.path,
    data,
    get application() {
      return application;
    },
    tokens: await registerApp(application.operator, app),
    restart: async () => {
      await application.kill();
      application = await runApplication(data, { ...environment, PORT: String(application.run.port) });
    },
    end: async () => {
      await application.stop();
      await temporary.remove();
    },
  };
}

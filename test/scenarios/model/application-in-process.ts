import { rm } from "node:fs/promises";
import { join } from "node:path";
import { Registry } from "prom-client";
import { openLog } from "../../../commands/log-id.ts";
import { closeDatabases, openDatabases } from "../../../infra/composition/connection-pools.ts";
import { openHttp } from "../../../infra/composition/http.ts";
import { startingApp } from "../../../infra/composition/http-apps.ts";
import { startReactors } from "../../../infra/composition/reactors.ts";
import { openReadModels } from "../../../infra/composition/read-models.ts";
import { startSpool } from "../../../infra/composition/spool.ts";
import { readConfig } from "../../../infra/config/config.ts";
import { type EventLog, EventLogUnavailable, type Subscription } from "../../../infra/event-log/event-log.ts";
import { openDatabase } from "../../../infra/postgres/database.ts";
import { bindPort } from "../../../infra/process/bind-port.ts";
import { openLogger } from "../../../infra/process/log.ts";
import { temporaryDirectory } from "../../support/application-process.ts";
import { startTestLog } from "../../support/event-store.ts";
import { type Client, clientOf } from "../../support/raw-client.ts";
import { testPostgres } from "../../support/stores.ts";

export const adminToken = "admin-token-of-the-model-based-tests";
const secrets = {
  adminToken: { text: adminToken, file: null, isNew: false },
  urlSigningKey: "signing-key-of-the-model-based-tests",
};
const megabyte = 1024 * 1024;
const quiet = openLogger("silent");

/** What becomes of the next append: it does not arrive, or its response does not. */
export type AppendFault = "lost" | "unanswered";

/** The whole application in this process, with all roles, on an event store and a Postgres that outlive it. */
export interface ApplicationInProcess {
  /** Calls the instance that runs at that moment. */
  readonly call: Client;
  /** The next appends of the instance fail so, one after the other. */
  failAppends(faults: readonly AppendFault[]): void;
  /**
   * Cuts the instance off from its stores at once, as the end of its process would, and starts another one. Requests in
   * progress get no response. Calls at the same time are one.
   */
  crash(): Promise<void>;
  /** Stops the instance in order and starts another one. */
  restart(): Promise<void>;
  /** How often instances have crashed and restarted, and how many appends have failed. */
  readonly counts: { crashes: number; restarts: number; failedAppends: number };
  close(): Promise<void>;
}

interface Instance {
  readonly port: number;
  readonly link: LogLink;
  stop(): Promise<void>;
}

export async function startApplicationInProcess(): Promise<ApplicationInProcess> {
  const directory = await temporaryDirectory();
  const store = await startTestLog();
  const postgres = await testPostgres();
  const administration = openDatabase(postgres, { max: 1, applicationName: "test" });
  const faults: AppendFault[] = [];
  const counts = { crashes: 0, restarts: 0, failedAppends: 0 };
  const start = () => startInstance(linkTo(store.log, faults, counts), postgres, directory.path);
  let instance = await start();
  let replacing: Promise<void> | null = null;
  const replace = (end: (old: Instance) => Promise<void>): Promise<void> => {
    replacing ??= (async () => {
      await end(instance);
      instance = await start();
    })().finally(() => {
      replacing = null;
    });
    return replacing;
  };
  return {
    call: (...request) => clientOf(instance.port)(...request),
    failAppends: (next) => void faults.splice(0, faults.length, ...next),
    crash: () =>
      replace(async (old) => {
        counts.crashes += 1;
        old.link.cut();
        await administration.raw(
          `select pg_terminate_backend(pid, 1000)
           from pg_stat_activity
           where datname = current_database()
             and pid <> pg_backend_pid()`,
        );
        await old.stop();
      }),
    restart: () =>
      replace(async (old) => {
        counts.restarts += 1;
        await old.stop();
      }),
    counts,
    close: async () => {
      await instance.stop();
      await administration.destroy();
      await store.close();
      await rm(directory.path, { recursive: true, force: true });
    },
  };
}

async function startInstance(link: LogLink, postgres: string, directory: string): Promise<Instance> {
  const config = readConfig({ HOST: "127.0.0.1", PORT: "0", DATA_DIR: directory, RATE_LIMITS: "off" });
  const registry = new Registry();
  const { log } = link;
  const webhooks = { signingKey: secrets.urlSigningKey, allowsPrivate: false };
  const logId = await openLog(log, new Date().toISOString());
  const server = await bindPort(startingApp(config, registry), config);
  const databases = await openDatabases(postgres);
  const readModels = openReadModels(log, databases, true, quiet);
  await readModels.start();
  const reactors = await startReactors(log, databases, readModels, webhooks, registry, quiet);
  const spoolOptions = { directory: join(directory, "spool"), limitBytes: 64 * megabyte };
  const spool = startSpool({ log, logId }, spoolOptions, registry, quiet);
  const http = openHttp(config, {
    ...{ mainServer: server, operationsServer: null, eventLog: log, spoolingJournals: spool.spoolingJournals },
    ...{
      databases,
      readModels,
      secrets,
      webhooks,
      readiness: () => ({ ready: true, checks: {} }),
      registry,
      log: quiet,
    },
  });
  return {
    port: server.port,
    link,
    stop: async () => {
      const drainOver = link.isCut() ? AbortSignal.abort() : AbortSignal.timeout(2_000);
      await http.close(drainOver);
      await reactors.stop();
      await readModels.projector.stop();
      await spool.stop(drainOver);
      await closeDatabases(databases);
      link.cut();
    },
  };
}

/** The event log as one instance reaches it. */
interface LogLink {
  readonly log: EventLog;
  /** From now on every call fails, responses of earlier ones included. */
  cut(): void;
  isCut(): boolean;
}

function linkTo(log: EventLog, faults: AppendFault[], counts: { failedAppends: number }): LogLink {
  let isCut = false;
  const subscriptions = new Set<Subscription>();
  const passable = (): void => {
    if (isCut) throw new EventLogUnavailable("the instance has crashed");
  };
  const through = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    passable();
    const result = await work();
    passable();
    return result;
  };
  async function* each<Item>(items: AsyncIterable<Item>): AsyncGenerator<Item> {
    passable();
    for await (const item of items) {
      passable();
      yield item;
    }
  }
  return {
    log: {
      append: (...call) =>
        through(async () => {
          const fault = faults.shift();
          if (fault === undefined) return log.append(...call);
          counts.failedAppends += 1;
          if (fault === "unanswered") await log.append(...call);
          throw new EventLogUnavailable(`the append is ${fault}`);
        }),
      read: (...call) => each(log.read(...call)),
      readBackwards: (...call) => through(() => log.readBackwards(...call)),
      readAll: (...call) => each(log.readAll(...call)),
      eventAt: (...call) => through(() => log.eventAt(...call)),
      headPosition: () => through(() => log.headPosition()),
      subscribe: (options) => {
        const subscription = log.subscribe(options);
        subscriptions.add(subscription);
        return subscription;
      },
      close: async () => {},
    },
    cut: () => {
      isCut = true;
      for (const subscription of subscriptions) subscription.close();
    },
    isCut: () => isCut,
  };
}

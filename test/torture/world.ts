import { createLinks } from "../../infra/demo/send-traffic.ts";
import { runSeparateStore, type SeparateStore } from "../scenarios/separate-store.ts";
import {
  type AppTokens,
  type RunningApplication,
  registerApp,
  runApplication,
  temporaryDirectory,
} from "../support/application-process.ts";
import { type BreakableProxy, startBreakableProxy } from "../support/breakable-proxy.ts";
import { freePort, isCluster } from "../support/event-store-program.ts";
import { testPostgres } from "../support/stores.ts";
import type { BegunBackup } from "./backups.ts";
import { fullDiskEnvironment } from "./full-disk.ts";

/** What clients were promised, and what they saw. */
export interface Acknowledged {
  readonly clicks: Set<string>;
  readonly events: Set<string>;
  /** Visits without an answer: each may count or not. */
  unansweredVisits: number;
  /** Requests that failed, and were repeated if they were no visits. */
  failures: number;
  /** Answers that took longer than five seconds, of a process that was not frozen. */
  readonly late: string[];
}

/** One process of Touchledger, API and worker, that can be killed, frozen and started again. */
export interface Node {
  readonly data: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Its way to the event store; null to a cluster, whose nodes name their own addresses. */
  readonly storeProxy: BreakableProxy | null;
  /** The current process. */
  application: RunningApplication;
  /** Until when, in milliseconds of `performance.now()`, late answers are those of a frozen process. */
  frozenUntil: number;
  /** What processes that have ended had written. */
  readonly outputs: string[];
  /** Starts it again after a kill, on the same data and port. */
  start(): Promise<void>;
}

/** Several processes on one event store and one Postgres, each behind what can fail. */
export interface World {
  readonly store: SeparateStore;
  readonly postgres: BreakableProxy;
  readonly nodes: readonly Node[];
  readonly tokens: AppTokens;
  readonly links: readonly { readonly shortUrl: string }[];
  /** A directory for what faults make. */
  readonly scratch: string;
  readonly seen: Acknowledged;
  /** The ids of events of a wrong shape. */
  readonly poison: Set<string>;
  readonly backups: BegunBackup[];
  /** What faults have seen themselves that does not hold. */
  readonly breaches: string[];
  end(): Promise<readonly (number | null)[]>;
}

export const app = "shop";
/** For the repeated starts of a process while a store is away: a cluster can need a minute until it has a leader again. */
export const restartLimitMs = 120_000;

export async function startWorld(workers: number): Promise<World> {
  // `runSeparateStore` decides which event store runs: the embedded one, or a real server.
  const scratch = await temporaryDirectory();
  const store = await runSeparateStore(fullDiskEnvironment(scratch.path));
  const postgres = await startBreakableProxy(await testPostgres());
  const directories = await Promise.all(Array.from({ length: workers }, temporaryDirectory));
  const shared = {
    DATABASE_URL: postgres.connectionString,
    ROLES: "api,worker",
  };
  const nodes: Node[] = [];
  for (const { path: data } of directories) {
    const { EVENTSTORE_URL } = store.environment;
    const storeProxy = isCluster(EVENTSTORE_URL) ? null : await startBreakableProxy(EVENTSTORE_URL);
    const environment = {
      ...shared,
      DATA_DIR: data,
      PORT: String(await freePort()),
      EVENTSTORE_URL: storeProxy?.connectionString ?? EVENTSTORE_URL,
    };
    const node: Node = {
      ...{ data, storeProxy, environment },
      application: await runApplication(data, environment),
      frozenUntil: 0,
      outputs: [],
      start: async () => {
        node.outputs.push(node.application.output());
        node.application = await restarted(() => runApplication(data, environment));
      },
    };
    nodes.push(node);
  }
  const [first] = nodes;
  if (first === undefined) throw new RangeError("At least one worker is needed.");
  const tokens = await registerApp(first.application.operator);
  const plan = { campaignParams: { campaign: "torture", ad_group: "all" }, deeplinkUrl: "https://shop.example/" };
  const wanted = ["partner", "newsletter"].map((channel) => ({ channel, ...plan }));
  const links = await createLinks(first.application.client(tokens.api, 10_000), wanted, () => undefined);
  return {
    ...{ store, postgres, nodes, tokens, links },
    ...{ scratch: scratch.path, poison: new Set(), backups: [], breaches: [] },
    seen: { clicks: new Set(), events: new Set(), unansweredVisits: 0, failures: 0, late: [] },
    end: async () => {
      const codes = await Promise.all(nodes.map(({ application }) => application.stop()));
      await store.end();
      await Promise.all([postgres, ...nodes.map(({ storeProxy }) => storeProxy)].map((proxy) => proxy?.close()));
      await Promise.all([...directories, scratch].map(({ remove }) => remove()));
      return codes;
    },
  };
}

/** As a supervisor does: a process does not start while a store is away. */
async function restarted<Started>(start: () => Promise<Started>): Promise<Started> {
  const deadline = performance.now() + restartLimitMs;
  for (;;) {
    try {
      return await start();
    } catch (failure) {
      if (performance.now() > deadline) throw failure;
    }
  }
}

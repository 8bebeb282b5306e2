import { Socket } from "node:net";
import knex, { type Knex } from "knex";
import pg from "pg";

export interface DatabaseOptions {
  /** Maximum connections. */
  readonly max: number;
  /** As in `pg_stat_activity`. */
  readonly applicationName: string;
  /**
   * A longer statement is cancelled (SQLSTATE 57014); when the server does not respond within another second, the
   * connection is closed. Absent: no limit.
   */
  readonly statementTimeoutMs?: number;
  /** Postgres ends a session that leaves its transaction idle for longer, as a frozen process does. Absent: no limit. */
  readonly idleTransactionTimeoutMs?: number;
  /** Maximum wait for a free connection (default 30 s). */
  readonly acquireTimeoutMs?: number;
  /** Maximum time to open a connection (default 5 s). */
  readonly connectTimeoutMs?: number;
  /** `off`: a crash may lose the last commits, never earlier ones. For data that can be replayed. */
  readonly synchronousCommit?: "on" | "off";
}

const { builtins } = pg.types;

/** `date` is the text YYYY-MM-DD, `int8` a bigint; `numeric` stays the exact text, `timestamptz` a Date. */
const parsers: ReadonlyMap<number, (text: string) => unknown> = new Map<number, (text: string) => unknown>([
  [builtins.DATE, String],
  [builtins.INT8, BigInt],
]);

const responseGraceMs = 1_000;
/** After so long without a byte the system asks whether the server still knows the connection. */
const keepAliveDelayMs = 10_000;

const socketsByPool = new WeakMap<Knex, ReadonlySet<Socket>>();

/** The sockets of a pool's open connections. */
export function socketsOf(db: Knex): ReadonlySet<Socket> {
  return socketsByPool.get(db) ?? new Set();
}

/** Statements are sent without waiting for the results of earlier ones (an option of pg that knex has no type for). */
const pipelined = { pipeline: true };

/**
 * A pool of connections to Postgres. Rows come with `date` as "YYYY-MM-DD", `int8` (and so `count(*)`) as bigint,
 * `numeric` as text and `timestamptz` as Date. The caller ends it with `destroy()`, which waits for statements in flight and
 * refuses later ones.
 */
export function openDatabase(connectionString: string, options: DatabaseOptions): Knex {
  const { max, statementTimeoutMs, idleTransactionTimeoutMs = 0 } = options;
  const { acquireTimeoutMs = 30_000, connectTimeoutMs = 5_000 } = options;
  const timeouts =
    statementTimeoutMs === undefined
      ? {}
      : { statement_timeout: statementTimeoutMs, query_timeout: statementTimeoutMs + responseGraceMs };
  const sockets = new Set<Socket>();
  const db = knex({
    client: "pg",
    connection: {
      connectionString,
      application_name: options.applicationName,
      connectionTimeoutMillis: connectTimeoutMs,
      ...timeouts,
      idle_in_transaction_session_timeout: idleTransactionTimeoutMs,
      options: `-c synchronous_commit=${options.synchronousCommit ?? "on"} -c jit=off -c timezone=UTC`,
      keepAlive: true,
      keepAliveInitialDelayMillis: keepAliveDelayMs,
      stream: () => trackedSocket(sockets),
      ...pipelined,
      types: {
        getTypeParser: (oid: number, format: string) =>
          (format === "text" ? parsers.get(oid) : undefined) ??
          pg.types.getTypeParser(oid, format === "binary" ? "binary" : "text"),
      },
    },
    pool: { min: 0, max, acquireTimeoutMillis: acquireTimeoutMs },
    // Knex would print failures that it throws as well.
    log: { error: () => {}, warn: () => {} },
  });
  // A statement sent while the pool closes its connections would wait for one until `acquireTimeoutMs` has passed.
  db.client.pool.on("poolDestroyRequest", () => {
    db.client.acquireConnection = () => Promise.reject(new Error("Unable to acquire a connection"));
  });
  socketsByPool.set(db, sockets);
  return db;
}

function trackedSocket(sockets: Set<Socket>): Socket {
  const socket = new Socket();
  sockets.add(socket);
  return socket.once("close", () => sockets.delete(socket));
}

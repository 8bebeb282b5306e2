import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Knex } from "knex";
import { openDatabase } from "../infra/postgres/database.ts";
import { startPostgres } from "../infra/postgres/server.ts";
import { openLogger } from "../infra/process/log.ts";
import { createFactsTables } from "../projections/facts/tables.ts";
import { runActuals } from "../projections/reports/actuals/run.ts";
import { type BenchLine, shareOf } from "./support/bench-line.ts";

const factsOfEachKind = 500_000;
const schema = "facts";
const currency = "USD";
const minRatio = 0.1;
const rounds = 3;
const timeoutMs = 120_000;
const range = { from: "2026-01-01", to: "2026-03-31" };
const common = ["clicks", "impressions", "ctr", "app_installs", "app_order_complete", "app_revenue"];

const reports = {
  "3 group-bys, 6 metrics": { groupBys: ["event_date", "channel", "campaign"], metrics: common },
  "2 group-bys of the device, 6 metrics": { groupBys: ["os_name", "country"], metrics: common },
  "by date with distinct devices": { groupBys: ["event_date"], metrics: [...common, "app_installs_users"] },
};

/** Actuals reports over 90 days of facts, next to a count of the same rows by Postgres without grouping or joins. */
export async function benchActuals(): Promise<readonly BenchLine[]> {
  const directory = await mkdtemp(join(tmpdir(), "touchledger-bench-"));
  const postgres = await startPostgres({ directory, log: openLogger("silent") });
  const db = openDatabase(postgres.connectionString, { max: 2, applicationName: "bench" });
  try {
    await fill(db);
    const lines: BenchLine[] = [];
    for (const [name, columns] of Object.entries(reports)) {
      const query = { ...range, ...columns, filters: [], sorts: [] };
      const position = BigInt(factsOfEachKind);
      const at = { appId: 1, currency, timezone: "Asia/Seoul", query, onlyChannels: null, position, now: new Date() };
      const limit = await factsPerSecond(() => count(db));
      const measured = await factsPerSecond(() => runActuals({ db, schema }, at, { timeoutMs }));
      lines.push(shareOf(limit, "a bare count", minRatio, { path: `actuals, ${name}`, measured, unit: "facts/s" }));
    }
    return lines;
  } finally {
    await db.destroy();
    await postgres.stop();
    await rm(directory, { recursive: true, force: true, maxRetries: 5 });
    await rm(postgres.home, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function count(db: Knex): Promise<void> {
  for (const table of ["touchpoints", "app_events"]) {
    await db.raw(`select count(*) from ${schema}.${table} where app_id = 1 and local_date between ? and ?`, [
      range.from,
      range.to,
    ]);
  }
}

/** The best of several rounds, because the machine may be busy in some. */
async function factsPerSecond(work: () => Promise<unknown>): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round += 1) {
    const since = performance.now();
    await work();
    best = Math.min(best, performance.now() - since);
  }
  return Math.round((2 * factsOfEachKind * 1000) / best);
}

/** 300 links on 20 channels, 5,000 kinds of devices, a fifth of the events installs and a fifth orders. */
async function fill(db: Knex): Promise<void> {
  await db.transaction(async (trx) => {
    await trx.raw(`create schema ${schema}`);
    await createFactsTables(trx, schema);
    await trx.raw(`
      alter table ${schema}.touchpoints alter column eligibility_class drop not null;
      insert into ${schema}.sources (app_id, source_key, channel, channel_type, is_reengagement, campaign)
        select 1, n, 'channel ' || n % 20, 'custom', 'OFF', 'campaign ' || n % 100 from generate_series(1, 300) n;
      insert into ${schema}.clients (app_id, client_key, os_name, country)
        select 1, n, case n % 2 when 0 then 'iOS' else 'Android' end, 'C' || n % 30 from generate_series(1, 5000) n;
      insert into ${schema}.touchpoints
          (app_id, touchpoint_id, position, kind, human, at, local_date, local_hour, source_key, client_key)
        select 1, gen_random_uuid(), n, case n % 4 when 0 then 'click' else 'impression' end, n % 50 <> 0, now(),
          date '2026-01-01' + n % 90, n % 24, 1 + hashint4(n) & 255, 1 + hashint4(-n) & 4095
        from generate_series(1, ${factsOfEachKind}) n;
      insert into ${schema}.app_events
          (app_id, event_id, from_position, at, local_date, local_hour, source, category, device_key, value, currency,
           client_key, source_key, touchpoint_kind, is_first_of_device)
        select 1, gen_random_uuid(), n, now(), date '2026-01-01' + n % 90, n % 24, 'app',
          (array['app_install', 'app_open', 'app_sign_in', 'app_order_complete', 'app_open'])[1 + n % 5],
          ('00000000-0000-4000-8000-' || lpad((hashint4(n) & 131071)::text, 12, '0'))::uuid,
          case n % 5 when 3 then n % 10000 / 100.0 end, case n % 5 when 3 then '${currency}' end,
          1 + hashint4(-n) & 4095, case when n % 3 > 0 then 1 + hashint4(n) & 255 end, 'click', n % 10 = 0
        from generate_series(1, ${factsOfEachKind}) n;
    `);
  });
  await db.raw(`analyze ${["touchpoints", "app_events", "sources", "clients"].map((name) => `${schema}.${name}`)}`);
}

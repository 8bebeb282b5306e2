// time limit: 120 s
import { spawn } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { appRegistryStream, touchpointJournal } from "../../../domain/streams.ts";
import { installSqlViews, projections } from "../../../infra/composition/read-models.ts";
import { createReaderRole } from "../../../infra/postgres/sql-role.ts";
import { StartupError } from "../../../infra/process/startup-error.ts";
import { park } from "../../../projections/engine/parking/parking.ts";
import { createProjector } from "../../../projections/engine/runner/projector.ts";
import { aggregateDay } from "../../../projections/facts/daily-aggregates/aggregate-day.ts";
import { daysToAggregate } from "../../../projections/facts/daily-aggregates/changed-days.ts";
import { facts } from "../../../projections/facts/projection.ts";
import { createReadModels } from "../../../projections/read-models.ts";
import { haveViewsChanged } from "../../../projections/sql-views/install.ts";
import { shop, shopRegistered } from "../../examples/app.ts";
import { aClick, anImpression } from "../../examples/touchpoints.ts";
import { silentEngineLog } from "../../projections/engine/engine-log.ts";
import { openStores, type Stores } from "../../projections/engine/stores.ts";
import { runProgram } from "../../support/command-line.ts";
import { program } from "../../support/paths.ts";
import { errorOf } from "../event-log/event-log-client.ts";

const test = suite("touchledger projection, touchledger verify");

let stores: Stores;
test.before(async () => {
  stores = await openStores();
  await stores.append(appRegistryStream, shopRegistered);
  const last = await stores.append(touchpointJournal(shop.appId, "test"), aClick(), anImpression());
  const projector = createProjector({ db: stores.db, log: stores.log, projections, logger: silentEngineLog });
  await projector.start();
  const passed = await Promise.all(
    (["control", "facts"] as const).map((group) => projector.waitForPosition(group, last, 20_000)),
  );
  await projector.stop();
  assert.equal(passed, [true, true]);
});
test.after(() => stores.close());

async function touchledger(...words: readonly string[]): Promise<{ readonly code: number; readonly output: string }> {
  const { code, out, err } = await runProgram(words, {
    LOG_LEVEL: "warn",
    DATA_DIR: join(tmpdir(), "touchledger-test-without-data"),
    ...stores.environment,
  });
  return { code, output: out + err };
}

test("shows how far the groups have come and which generations are live", async () => {
  const { code, output } = await touchledger("projection", "status");
  assert.is(code, 0, output);
  for (const row of [
    /^control +\d+ +\d+ +0 +4 +1$/m,
    /^facts +\d+ +\d+ +0 +4 +1$/m,
    new RegExp(`^facts +${facts.version} {2}live +facts_v${facts.version}_\\d+ `, "m"),
  ]) {
    assert.match(output, row);
  }
});

test("ends quietly when nobody reads its output any more", async () => {
  const environment = { LOG_LEVEL: "warn", DATA_DIR: join(tmpdir(), "touchledger-test-without-data") };
  const command = spawn(process.execPath, [program, "projection", "status"], {
    env: { ...process.env, ...environment, ...stores.environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  command.stdout.destroy();
  const [errors, [code]] = await Promise.all([text(command.stderr), once(command, "exit")]);
  assert.equal([code, errors], [141, ""]);
});

test("verifies the SQL views, and leaves those that were changed", async () => {
  await installSqlViews(stores.db);
  await stores.db.raw("drop view touchledger_views.spend");
  const { code, output } = await touchledger("verify");
  assert.is(code, 1, output);
  assert.match(output, /^The SQL views CHANGED since they were installed; /m);
  assert.is(await haveViewsChanged(stores.db), true);
});

test("rebuilds, verifies, and names the table and the key of a row that was tampered with", async () => {
  const rebuilt = await touchledger("projection", "rebuild", "--all");
  assert.is(rebuilt.code, 0, rebuilt.output);
  assert.match(rebuilt.output, /^All read models are rebuilt\.$/m);
  await installSqlViews(stores.db);
  for (const group of ["control", "facts"]) {
    // A group that is read in one piece has no rate.
    assert.match(rebuilt.output, new RegExp(`^${group} .* 4/4 events  (-|[\\d,]+) events/s$`, "m"));
  }

  const { db, schema } = await createReadModels(stores.db, projections).live("facts");
  const [day] = await daysToAggregate({ db, schema });
  assert.ok(day !== undefined);
  await aggregateDay({ db, schema }, day);
  const aggregated = await touchledger("verify");
  assert.is(aggregated.code, 0, aggregated.output);
  assert.match(aggregated.output, /^Daily aggregates and features of installs: 5 rows, 0 tables differ\.$/m);
  await db.raw(`update ${schema}.daily_touchpoints set facts = 41 where kind = 'click' and not by_client`);
  const falsified = await touchledger("verify");
  assert.is(falsified.code, 1, falsified.output);
  assert.match(falsified.output, /^facts\.daily_touchpoints DIFFERS from .*\n {2}stored {4}.*41.*\n {2}computed {2}/m);

  await db.raw(`update ${schema}.touchpoints set human = false where kind = 'click'`);
  const tampered = await touchledger("verify");
  assert.is(tampered.code, 1, tampered.output);
  assert.match(tampered.output, /^facts\.touchpoints +2 +2 +[0-9a-f]+ +DIFFERS$/m);
  assert.match(tampered.output, /^facts\.app_events +0 +0 +[0-9a-f]+ +same$/m);
  assert.match(tampered.output, /^Daily aggregates and features of installs were not compared: /m);
  assert.match(tampered.output, /^Stored results of reports were not compared: /m);
  assert.ok(tampered.output.includes(`"touchpoint_id": "${aClick().data.touchpointId}"`), tampered.output);
});

test("says after a retry what is still parked, and that what was applied late may differ from a replay", async () => {
  const { schema } = await createReadModels(stores.db, projections).live("facts");
  const advice = /^Events that are applied late may give other rows than a replay\. Run `touchledger verify`\.$/m;
  const none = await touchledger("projection", "retry", "facts");
  assert.equal([none.code, advice.test(none.output)], [0, false], none.output);
  const click = (await stores.all()).find(({ type }) => type === "ClickRecorded");
  assert.ok(click !== undefined);
  await stores.db.transaction((trx) => park(trx, facts, schema, click, "as if it could not be applied"));
  await stores.db.raw(`alter table ${schema}.touchpoints add constraint refused check (false) not valid`);
  const refused = await touchledger("projection", "retry", "facts");
  assert.equal([refused.code, /^0 applied, 1 still parked$/m.test(refused.output)], [1, true], refused.output);
  await stores.db.raw(`alter table ${schema}.touchpoints drop constraint refused`);
  const retried = await touchledger("projection", "retry", "facts");
  assert.is(retried.code, 0, retried.output);
  assert.match(retried.output, /^1 applied, 0 still parked$/m);
  assert.match(retried.output, advice);
});

test("leaves SQL views that read the live generation, and names of roles as they may be", async () => {
  const created = await touchledger("sql-role", "create", "Nobody");
  assert.match(created.output, /^Nobody cannot be the name of a role: .*lower-case/m);
  const reserved = ["user", "current_user", "public", "pg_reader"];
  const reasons = reserved.map((name) => errorOf(createReaderRole(stores.db, name, "public")));
  assert.equal(
    (await Promise.all(reasons)).map((failure) => failure instanceof StartupError && failure.message),
    reserved.map((name) => `${name} cannot be the name of a role: Postgres reserves it.`),
  );
  const { schema } = await createReadModels(stores.db, projections).live("facts");
  const { rows } = await stores.db.raw("select definition from pg_views where schemaname = 'touchledger_views'");
  assert.is(rows.length, 5);
  for (const { definition } of rows) assert.ok(definition.includes(`${schema}.`), definition);
});

test("traces the first 10,000 events about an id, and says where the others are", async () => {
  const { schema } = await createReadModels(stores.db, projections).live("audit");
  const events = `select 1000000::bigint * size + number, 1, 'PersonalDataRead', 'export', 'export ' || size, now(),
      '{"kind":"visitor"}'::jsonb, 'request', 'request', '{}'::jsonb
    from unnest(array[9999, 10000, 10001]) as size, generate_series(1, size) as number`;
  await stores.db.raw(`insert into ${schema}.audit ${events}`);
  const traced: (readonly [number, string | undefined])[] = [];
  for (const size of [9_999, 10_000, 10_001]) {
    const { output } = await touchledger("audit", "trace", `export ${size}`);
    const lines = output.trim().split("\n");
    traced.push([lines.filter((line) => line.includes("PersonalDataRead")).length, lines.at(-1)]);
  }
  await stores.db.raw(`delete from ${schema}.audit where subject_id like 'export %'`);
  const others =
    "Only the first 10000 events are shown. GET /admin/v1/apps/<app>/audit?subject=export%2010001&after=10001010000";
  assert.equal(
    traced.map(([count, last]) => [count, last?.startsWith("Only") ? last : null]),
    [
      [9_999, null],
      [10_000, null],
      [10_000, `${others} has the others.`],
    ],
  );
});

test("rejects an unknown projection, and names together with --all", async () => {
  const [unknown, both] = await Promise.all([
    touchledger("projection", "rebuild", "fact"),
    touchledger("projection", "rebuild", "facts", "--all"),
  ]);
  assert.equal([unknown.code, both.code], [1, 1]);
  assert.match(unknown.output, /^There is no projection fact\. Did you mean facts\? The projections are .*facts/);
  assert.match(both.output, /Give either the names of the projections to rebuild or --all\./);
});

test.run();

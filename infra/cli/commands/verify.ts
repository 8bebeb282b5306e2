import { existsSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { type Config, readConfig } from "../../config/config.ts";
import { DataDirectoryUnusable } from "../../data-directory/data-directory.ts";
import { checkStoreApart, requireWholeStore } from "../../embedded-event-store/maintenance/store-file.ts";
import { type MaintenanceCommands, withOperatorCommands } from "../../main.ts";
import { buildProgress, stepBars } from "../progress-bars.ts";
import { printTable } from "../terminal-text.ts";

/**
 * `touchledger verify`: compares every read model with a replay of the log, daily aggregates and features of installs with
 * what the read models give, stored results of reports with their hashes, and the SQL views with those installed; `--log`
 * checks the log itself. Exit 1 when anything differs, or a read model lacks events that are parked or were skipped.
 */
export function verifyCommand(): Command {
  return new Command("verify")
    .option("--log", "check every event of the embedded event store instead: checksums, positions, revisions")
    .action(({ log = false }: { readonly log?: boolean }) => {
      const config = readConfig(process.env);
      return log ? verifyLog(config) : withOperatorCommands(config, verify);
    });
}

async function verifyLog({ dataDirectory, eventStoreUrl }: Config): Promise<void> {
  const directory = join(dataDirectory, "event-store");
  if (eventStoreUrl !== null || !existsSync(directory)) {
    throw new DataDirectoryUnusable(
      `${dataDirectory} has no embedded event store. Set DATA_DIR to that of an instance, and unset EVENTSTORE_URL.`,
    );
  }
  await requireWholeStore(directory);
  const bars = stepBars();
  const { head, faults } = await checkStoreApart(directory, (share) => bars.show("checking", share)).finally(bars.stop);
  for (const { position, reason } of faults) console.log(`position ${position}: ${reason}`);
  if (faults.length > 0) process.exitCode = 1;
  const verdict = faults.length === 0 ? "The log is sound" : "The log is DAMAGED: restore a backup";
  console.log(`${verdict}: ${head} events.`);
}

/** Of events that a group lacks, and of results. */
const maxListed = 20;

async function verify(operator: MaintenanceCommands): Promise<void> {
  const progress = buildProgress();
  const verifications = await operator.verify(progress.show).finally(progress.stop);
  const tables = verifications.flatMap((verification) => verification.tables);
  printTable(
    ["table", "rows", "replayed", "SHA-256 of the rows", "verdict"],
    tables.map(({ projection, table, liveRows, replayedRows, liveHash, replayedHash }) => [
      `${projection}.${table}`,
      liveRows,
      replayedRows,
      liveHash.slice(0, 16),
      liveHash === replayedHash ? "same" : "DIFFERS",
    ]),
  );
  for (const { group, position, leftOut } of verifications) {
    console.log(`\nGroup ${group} was compared at position ${position?.commit ?? "start"}.`);
    if (leftOut.length === 0) continue;
    process.exitCode = 1;
    console.log(`Events left out of the read models and of the replay (${leftOut.length}):`);
    for (const { projection, position, eventId, reason, error } of leftOut.slice(0, maxListed)) {
      console.log(`  ${projection} ${position} ${eventId} ${reason}: ${error}`);
    }
  }
  for (const { projection, table, liveHash, replayedHash, differences } of tables) {
    if (liveHash === replayedHash) continue;
    process.exitCode = 1;
    console.log(`\n${projection}.${table} differs from the log; the first rows:`);
    for (const { key, live, replayed } of differences) {
      console.log(`  ${key}`);
      console.log(`    live      ${live}`);
      console.log(`    replayed  ${replayed}`);
    }
  }
  printDerived(verifications.flatMap(({ derived }) => derived));
  if (await operator.haveSqlViewsChanged()) {
    process.exitCode = 1;
    console.log("\nThe SQL views CHANGED since they were installed; a running instance replaces them within 15 s.");
  }
  if (tables.some((table) => resultsFollowFrom.includes(table.projection) && table.liveHash !== table.replayedHash)) {
    console.log("\nStored results of reports were not compared: they follow from a table that differs.");
    return;
  }
  await verifyResults(operator);
}

/** The projections whose read models the results of reports follow from. */
const resultsFollowFrom = ["facts", "report_tasks"];

async function verifyResults(operator: MaintenanceCommands): Promise<void> {
  const { differing, notReproduced, ...results } = await operator.verifyResults();
  console.log(
    `\nStored results of reports: ${results.results}, ${results.rows} rows, ${differing.length} differ. ` +
      `Computed again: ${results.computed}, ${notReproduced.length} not reproduced.`,
  );
  printTasks(
    "The rows of these tasks do not have the hash that is in the log. Delete the tasks from work.results, and their\n" +
      "rows are computed again when they are read:",
    differing,
  );
  printTasks(
    "These reports have other rows when they are computed again, for example because an event was parked then\nand applied later, or cannot be computed any more. " +
      "Request them again:",
    notReproduced,
  );
}

function printTasks(text: string, taskIds: readonly string[]): void {
  if (taskIds.length === 0) return;
  process.exitCode = 1;
  console.log(text);
  for (const taskId of taskIds.slice(0, maxListed)) console.log(`  ${taskId}`);
}

/** Longest line of a row of derived values, which may list thousands of devices. */
const maxRowLength = 500;

type Verification = Awaited<ReturnType<MaintenanceCommands["verify"]>>[number];

function printDerived(derived: Verification["derived"]): void {
  if (derived.length === 0) {
    console.log(
      "\nDaily aggregates and features of installs were not compared: they follow from a table that differs.",
    );
    return;
  }
  const differing = derived.filter(({ wrong, missing }) => wrong.length + missing.length > 0);
  const rows = derived.reduce((sum, table) => sum + table.rows, 0);
  console.log(`\nDaily aggregates and features of installs: ${rows} rows, ${differing.length} tables differ.`);
  for (const { projection, table, wrong, missing } of differing) {
    process.exitCode = 1;
    console.log(`${projection}.${table} DIFFERS from what is computed from the other tables; the first rows:`);
    for (const row of wrong) console.log(`  stored    ${row.slice(0, maxRowLength)}`);
    for (const row of missing) console.log(`  computed  ${row.slice(0, maxRowLength)}`);
  }
}

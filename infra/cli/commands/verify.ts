import { Command } from "commander";
import { readConfig } from "../../config/config.ts";
import { type OperatorCommands, withOperatorCommands } from "../../main.ts";
import { buildProgress } from "../progress-bars.ts";
import { printTable } from "../terminal-text.ts";

/** `touchledger verify`: compares every read model with a replay of the log; exit 1 when any row differs. */
export function verifyCommand(): Command {
  return new Command("verify").action(() => withOperatorCommands(readConfig(process.env), verify));
}

async function verify(operator: OperatorCommands): Promise<void> {
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
  for (const { group, place, parked } of verifications) {
    console.log(`\nGroup ${group} was compared at position ${place?.commit ?? "start"}.`);
    if (parked > 0) console.log(`${parked} parked events were left out: see \`touchledger projection parked\`.`);
  }
  for (const { projection, table, liveHash, replayedHash, differences } of tables) {
    if (liveHash === replayedHash) continue;
    process.exitCode = 1;
    console.log(`\n${projection}.${table} differs from the log; the first rows:`);
    for (const { key, live, replayed } of differences) {
      console.log(`  ${JSON.stringify(key)}`);
      console.log(`    live      ${JSON.stringify(live)}`);
      console.log(`    replayed  ${JSON.stringify(replayed)}`);
    }
  }
}

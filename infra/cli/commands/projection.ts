import { Command, InvalidArgumentError } from "commander";
import { readConfig } from "../../config/config.ts";
import { type MaintenanceCommands, withOperatorCommands } from "../../main.ts";
import { buildProgress } from "../progress-bars.ts";
import { printTable } from "../terminal-text.ts";

/** `touchledger projection`: shows and repairs read models, whether the server runs or not. */
export function projectionCommand(): Command {
  return new Command("projection")
    .addCommand(
      new Command("status")
        .description("show the checkpoint of each group, and all generations")
        .action(() => withOperatorCommands(readConfig(process.env), printStatus)),
    )
    .addCommand(
      new Command("rebuild")
        .description("rebuild read models from the event log beside the live ones, and replace them without a gap")
        .argument("[names...]", "which projections")
        .option("--all", "all of them", false)
        .action(async (names: readonly string[], { all }: { readonly all: boolean }, command: Command) => {
          if (all === names.length > 0) command.error("Give either the names of the projections to rebuild or --all.");
          await withOperatorCommands(readConfig(process.env), (operator) => rebuild(operator, all ? "all" : names));
        }),
    )
    .addCommand(
      new Command("parked")
        .description("list parked events and why they were parked")
        .argument("[name]", "name of a projection, as `status` prints it; all without one")
        .action((name?: string) =>
          withOperatorCommands(readConfig(process.env), (operator) => printParked(operator, name)),
        ),
    )
    .addCommand(
      new Command("retry")
        .description("apply parked events again")
        .argument("<name>", "name of a projection, as `status` prints it")
        .option("--stream <stream>", "of one stream only")
        .action((name: string, { stream }: { readonly stream?: string }) =>
          withOperatorCommands(readConfig(process.env), async (operator) =>
            printRetried(await operator.retry(name, stream)),
          ),
        ),
    )
    .addCommand(
      new Command("skip")
        .description(
          "skip an event, parked or stopping its group or a build, for good, and apply the events parked behind it",
        )
        .argument("<name>", "name of a projection, as `status` prints it")
        .argument("<position>", "of the event, as `parked` prints it", wholeNumber)
        .action((name: string, position: bigint) =>
          withOperatorCommands(readConfig(process.env), async (operator) => {
            const retried = await operator.skip(name, position);
            console.log(`Skipped ${name} ${position}.`);
            printRetried(retried);
          }),
        ),
    );
}

async function printStatus(operator: MaintenanceCommands): Promise<void> {
  const { head, checkpoints, generations, parked } = await operator.status();
  printTable(
    ["group", "checkpoint", "head", "lag", "events", "epoch"],
    checkpoints.map(({ group, position, events, epoch }) => [
      group,
      position?.commit ?? "start",
      head?.commit ?? "start",
      head === null || (position !== null && position.commit >= head.commit)
        ? 0
        : head.commit - (position?.commit ?? 0n),
      events,
      epoch,
    ]),
  );
  console.log("");
  printTable(
    ["projection", "version", "state", "schema", "built to", "parked"],
    generations.map(({ projection, version, state, schema, position }) => [
      projection,
      version,
      state,
      schema,
      state === "building" ? (position ?? "start") : "",
      parked.filter((event) => event.schema === schema).length,
    ]),
  );
}

async function rebuild(operator: MaintenanceCommands, names: readonly string[] | "all"): Promise<void> {
  const progress = buildProgress();
  await operator.rebuild(names, progress.show).finally(progress.stop);
  console.log(names === "all" ? "All read models are rebuilt." : `Rebuilt: ${names.join(", ")}.`);
}

async function printParked(operator: MaintenanceCommands, name?: string): Promise<void> {
  const parked = await operator.parked(name);
  if (parked.length === 0) return console.log("No events are parked.");
  printTable(
    ["projection", "position", "event", "stream", "parked at", "why"],
    parked.map((event) => [
      event.projection,
      event.position.commit,
      event.type,
      event.stream,
      event.parkedAt.toISOString(),
      event.error,
    ]),
  );
}

function printRetried({ applied, stillParked }: { readonly applied: number; readonly stillParked: number }): void {
  console.log(`${applied} applied, ${stillParked} still parked`);
  if (applied > 0)
    console.log("Events that are applied late may give other rows than a replay. Run `touchledger verify`.");
  if (stillParked > 0) process.exitCode = 1;
}

function wholeNumber(text: string): bigint {
  if (!/^\d{1,19}$/.test(text)) throw new InvalidArgumentError("It must be a whole number.");
  return BigInt(text);
}

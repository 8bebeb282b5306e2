import { Command } from "commander";
import type { ShownEvent } from "../../../domain/conversion-values/meanings.ts";
import type { Actor } from "../../../domain/event.ts";
import { readClientConfig } from "../../config/config.ts";
import {
  type ApiConnection,
  type ConnectionFlags,
  connectAsOperator,
  connectToApi,
  withApiErrors,
} from "../api-connection.ts";
import { nonEmpty } from "../argument-parsers.ts";
import { eventText, modelChanges, modelLines, type ShownValues } from "../conversion-model-changes.ts";
import { printable, printTable } from "../terminal-text.ts";

interface AppFlags extends ConnectionFlags {
  readonly app: string;
}

/** A published version: by whom, and since when it is in force. */
interface Publication {
  readonly version: number;
  readonly configType: string;
  readonly since: { readonly position: string; readonly recordedAt: string };
  readonly publishedBy: Actor & { readonly label?: string | null };
}

type ConversionValues = Publication & ShownValues;

interface Decoded extends Publication {
  readonly meaning: {
    readonly isOverlapped: boolean | null;
    readonly events: readonly (ShownEvent & { readonly partnerEventNames: { readonly [channel: string]: string } })[];
  } | null;
}

const moment = "a log position or an instant such as 2026-03-31T12:00:00Z";

/**
 * `touchledger conversion-values`: the meaning of an app's conversion values, now or in the past
 * (contract/conversion-values.md).
 * Exit 1 when it is refused.
 */
export function conversionValuesCommand(): Command {
  return new Command("conversion-values")
    .addCommand(
      withConnection(new Command("show"), "show every conversion value, and the names that channels use for events")
        .option("--as-of <moment>", `${moment} (default: now)`, nonEmpty)
        .action(async ({ asOf, ...flags }: AppFlags & { readonly asOf?: string }) => {
          const connection = await connect(flags);
          show(flags.app, await valuesAsOf(connection, flags.app, asOf));
        }),
    )
    .addCommand(
      withConnection(new Command("decode"), "say what one value meant")
        .argument("<value>", "0 to 63, low, medium or high")
        .option("--postback <index>", "0 to 2", "0")
        .option("--at <moment>", `${moment} (default: now)`, nonEmpty)
        .action(async (value: string, { postback, at, ...flags }: DecodeFlags) => {
          const connection = await connect(flags);
          const query = new URLSearchParams({ value, postback, ...(at === undefined ? {} : { at }) });
          const body = await read(connection, flags.app, `/decode?${query}`);
          decode(value, postback, (body as { readonly data: { readonly decoded: Decoded } }).data.decoded);
        }),
    )
    .addCommand(
      withConnection(new Command("diff"), "say what changed between two moments")
        .requiredOption("--from <moment>", moment, nonEmpty)
        .option("--to <moment>", `${moment} (default: now)`, nonEmpty)
        .action(async ({ from, to, ...flags }: AppFlags & { readonly from: string; readonly to?: string }) => {
          const connection = await connect(flags);
          const before = await valuesAsOf(connection, flags.app, from);
          diff(before, await valuesAsOf(connection, flags.app, to));
        }),
    );
}

type DecodeFlags = AppFlags & { readonly postback: string; readonly at?: string };

function withConnection(command: Command, description: string): Command {
  return command
    .description(description)
    .requiredOption("--app <name>", "name of the app", nonEmpty)
    .option("--url <url>", "address of the instance (default: the one that runs on DATA_DIR)")
    .option("--token <token>", "of the app's owner (better: TOUCHLEDGER_TOKEN; default: the admin token)");
}

/** Connects with the app's token if there is one, otherwise as the operator. */
function connect(flags: ConnectionFlags): Promise<ApiConnection> {
  const hasToken = (flags.token ?? readClientConfig(process.env).token ?? "") !== "";
  return hasToken ? connectToApi(flags, process.env, "operationsUrl") : connectAsOperator(flags, process.env);
}

async function read(connection: ApiConnection, app: string, rest: string): Promise<unknown> {
  const path = `/admin/v1/apps/${encodeURIComponent(app)}/conversion-values${rest}`;
  return withApiErrors(connection, async () => (await connection.reading.call("GET", path)).json());
}

async function valuesAsOf(connection: ApiConnection, app: string, asOf: string | undefined): Promise<ConversionValues> {
  const body = await read(connection, app, asOf === undefined ? "" : `?${new URLSearchParams({ asOf })}`);
  return (body as { readonly data: { readonly conversionValues: ConversionValues } }).data.conversionValues;
}

function show(app: string, values: ConversionValues): void {
  console.log(`${publicationText(values)}, of ${printable(app)}:\n`);
  printTable(
    ["what", "meaning"],
    modelLines(values).map(({ place, meaning }) => [place, meaning]),
  );
}

function decode(value: string, postback: string, { meaning, ...publication }: Decoded): void {
  console.log(`${publicationText(publication)}.`);
  const place = printable(`${value} on postback ${postback}`);
  if (meaning === null) {
    console.log(`It has no value ${place}.`);
    return;
  }
  console.log(`Value ${place}${meaning.isOverlapped === true ? ", which overlaps with another one" : ""}:`);
  if (meaning.events.length === 0) console.log("  no event");
  for (const event of meaning.events) {
    const names = Object.entries(event.partnerEventNames).map(([channel, name]) => `${name} at ${channel}`);
    console.log(printable(`  ${eventText(event)}${names.length === 0 ? "" : ` (${names.join(", ")})`}`));
  }
}

function diff(before: ConversionValues, after: ConversionValues): void {
  console.log(`from  ${publicationText(before)}\nto    ${publicationText(after)}\n`);
  const changes = modelChanges(before, after);
  if (changes.length === 0) {
    console.log("There are no differences.");
    return;
  }
  printTable(
    ["what", "before", "after"],
    changes.map((change) => [change.place, change.before ?? "-", change.after ?? "-"]),
  );
}

function publicationText({ version, configType, since, publishedBy }: Publication): string {
  const { recordedAt, position } = since;
  return printable(
    `Version ${version} (${configType}), in force since ${recordedAt} (position ${position}), published by ${actorText(publishedBy)}`,
  );
}

function actorText(actor: Publication["publishedBy"]): string {
  if (actor.kind !== "token") return `the ${actor.kind}`;
  return `token ${actor.label ?? actor.tokenId.slice(0, 8)} (${actor.role})`;
}

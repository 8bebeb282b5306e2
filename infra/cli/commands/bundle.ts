import { basename, join } from "node:path";
import { Command } from "commander";
import { formOf, pages, required, type SentFile } from "../../../client/index.ts";
import type { BundleRecord } from "../../../domain/prediction/bundle-record.ts";
import {
  type ApiConnection,
  type ConnectionFlags,
  connectAsOperator,
  withApiErrors,
  withPrintedFaults,
} from "../api-connection.ts";
import { nonEmpty } from "../argument-parsers.ts";
import { FileUnusable, readFileArgument } from "../file-argument.ts";
import { printable, printTable } from "../terminal-text.ts";
import { bundleCheckCommand } from "./train.ts";

const bundlePath = "/admin/v1/model-bundles/{bundle_id}";
const manifestName = "manifest.json";
/** Larger than any server accepts. */
const maxFileBytes = 32 * 1024 * 1024;

/**
 * `touchledger bundle`: model bundles of a running instance (contract/administration.md#model-bundles). Exit 1 when it
 * refuses.
 */
export function bundleCommand(): Command {
  return new Command("bundle")
    .addCommand(
      withConnection(new Command("add"), "register the bundle in a directory: manifest.json and its two models")
        .argument("<directory>")
        .action(async (directory: string, flags: ConnectionFlags) => add(await connection(flags), directory)),
    )
    .addCommand(
      withConnection(new Command("list"), "list all bundles, the newest first").action(async (flags: ConnectionFlags) =>
        list(await connection(flags)),
      ),
    )
    .addCommand(
      withConnection(new Command("show"), "show one bundle")
        .argument("<id>", "of the bundle", nonEmpty)
        .action(async (id: string, flags: ConnectionFlags) => show(await connection(flags), id)),
    )
    .addCommand(
      withConnection(new Command("activate"), "activate a bundle, for one app or for all apps without an active bundle")
        .argument("<id>", "of the bundle", nonEmpty)
        .option("--app <name>", "for this app (default: for every app without an active bundle of its own)", nonEmpty)
        .action(async (id: string, flags: ConnectionFlags & { readonly app?: string }) =>
          activate(await connection(flags), id, flags.app),
        ),
    )
    .addCommand(
      withConnection(new Command("retire"), "retire a bundle: it can never be activated again")
        .argument("<id>", "of the bundle", nonEmpty)
        .action(async (id: string, flags: ConnectionFlags) => retire(await connection(flags), id)),
    )
    .addCommand(bundleCheckCommand());
}

function withConnection(command: Command, description: string): Command {
  return command
    .description(description)
    .option("--url <url>", "address of the instance (default: the one that runs on DATA_DIR)")
    .option("--token <token>", "the admin token (better: ADMIN_TOKEN; default: that of the instance on DATA_DIR)");
}

function connection(flags: ConnectionFlags): Promise<ApiConnection> {
  return connectAsOperator(flags, process.env);
}

async function add(api: ApiConnection, directory: string): Promise<void> {
  const files = await filesOf(directory);
  const { bundle } = await withPrintedFaults(api, async () => {
    const result = await api.changing.POST("/admin/v1/model-bundles", { body: formOf(files) as never });
    return required(result).data;
  });
  console.log(`Bundle ${printable(bundle.bundleId)} is registered; it serves where it is activated.`);
}

/** The manifest and those of its files that are in the directory; the server reports missing ones. */
async function filesOf(directory: string): Promise<readonly SentFile[]> {
  const manifest = await readFileArgument(join(directory, manifestName), maxFileBytes, "manifest");
  const files: SentFile[] = [{ name: manifestName, content: manifest }];
  for (const name of namedFiles(manifest)) {
    try {
      files.push({ name, content: await readFileArgument(join(directory, name), maxFileBytes, "model") });
    } catch (failure) {
      if (!(failure instanceof FileUnusable)) throw failure;
      console.error(failure.message);
    }
  }
  return files;
}

/** Names of model files beside the manifest; none when the manifest cannot be read. */
function namedFiles(manifest: Uint8Array): ReadonlySet<string> {
  try {
    const { models }: { readonly models: object } = JSON.parse(Buffer.from(manifest).toString());
    const named = Object.values(models).map((model: { readonly file?: unknown } | null) => model?.file);
    return new Set(named.filter((name) => typeof name === "string").filter((name) => isPlain(name)));
  } catch {
    return new Set();
  }
}

function isPlain(name: string): boolean {
  return name === basename(name) && !name.startsWith(".") && name !== "" && name !== manifestName;
}

async function list(api: ApiConnection): Promise<void> {
  const bundles = await withApiErrors(api, async () => {
    const listed: BundleRecord[] = [];
    const lists = pages((query) => api.reading.GET("/admin/v1/model-bundles", { params: { query } }));
    for await (const { data } of lists) listed.push(...data.bundles);
    return listed;
  });
  printTable(
    ["bundle", "trained", "registered", "features", "state"],
    bundles.map((bundle) => [
      bundle.bundleId,
      bundle.trainedAt,
      bundle.registeredAt,
      bundle.features.length,
      stateOf(bundle),
    ]),
  );
}

async function show(api: ApiConnection, id: string): Promise<void> {
  const params = { path: { bundle_id: id } };
  const { bundle } = await withApiErrors(api, async () => required(await api.reading.GET(bundlePath, { params })).data);
  printTable(
    ["field", "value"],
    [
      ["bundle", bundle.bundleId],
      ["trained", bundle.trainedAt],
      ["registered", bundle.registeredAt],
      ["state", stateOf(bundle)],
      ["features", bundle.features.join(", ")],
    ],
  );
  console.log("");
  printTable(
    ["model", "file", "SHA-256", "input", "output", "cut points"],
    Object.entries(bundle.models).map(([name, { file, sha256, input, output, cutPoints }]) => [
      name,
      file,
      sha256,
      input,
      output,
      JSON.stringify(cutPoints),
    ]),
  );
}

function stateOf({ active, retired }: BundleRecord): string {
  if (retired) return "retired";
  const places = [...(active.default ? ["by default"] : []), ...active.apps.map((app) => `for ${app}`)];
  return places.length === 0 ? "not active" : `active ${places.join(", ")}`;
}

async function activate(api: ApiConnection, bundleId: string, app: string | undefined): Promise<void> {
  const body = { bundleId };
  await withApiErrors(api, async () =>
    required(
      app === undefined
        ? await api.changing.PUT("/admin/v1/model-bundle", { body })
        : await api.changing.PUT("/admin/v1/apps/{app_name}/model-bundle", {
            params: { path: { app_name: app } },
            body,
          }),
    ),
  );
  const whom = app === undefined ? "every app that has no bundle of its own" : printable(app);
  console.log(`Bundle ${printable(bundleId)} serves ${whom}.`);
}

async function retire(api: ApiConnection, bundleId: string): Promise<void> {
  const params = { path: { bundle_id: bundleId } };
  await withApiErrors(api, async () => required(await api.changing.DELETE(bundlePath, { params })));
  console.log(`Bundle ${printable(bundleId)} is retired.`);
}

import { setTimeout as pause } from "node:timers/promises";
import type { RegisteredApp } from "../../domain/apps/registered-app.ts";
import { type Fault, fault } from "../../domain/fault.ts";
import { bundleRecord } from "../../domain/prediction/bundle-record.ts";
import type { ModelBundle, ModelName } from "../../domain/prediction/events.ts";
import { type ModelFault, modelNames } from "../../domain/prediction/manifest.ts";
import {
  type ModelBundleCommand,
  type ModelBundlesState,
  modelBundles,
} from "../../domain/prediction/model-bundles.ts";
import { modelBundlesStream, modelFileStream } from "../../domain/streams.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";
import { validationFailed } from "../../infra/http/response/problem.ts";
import {
  appRoute,
  ok,
  type Reply,
  type Route,
  type RouteRequest,
  refuse,
  reply,
  route,
} from "../../infra/http/routing/route.ts";
import { type CausingRequest, causeOf } from "../event-metadata.ts";
import { appendFile } from "../file-chunks.ts";
import type { Handled } from "../handle-command.ts";
import { handleHttpCommand } from "../handle-http-command.ts";
import type { BundleDirectory } from "./bundle-directory.ts";
import { type BundlePackage, maxManifestBytes, maxModelBytes, readPackage } from "./bundle-package.ts";
import { activateAppBundleDocs, activateBundleDocs, registerBundleDocs, retireBundleDocs } from "./docs.ts";

export interface BundleRouteDeps {
  readonly log: EventLog;
  readonly bundles: Pick<BundleDirectory, "find" | "refresh">;
  findAppById(appId: number): Promise<RegisteredApp | null>;
  /** The faults of the models, found without loading them into this process. */
  checkModels(
    bundle: ModelBundle,
    files: BundlePackage["models"],
  ): Promise<readonly { readonly model: ModelName; readonly fault: ModelFault }[]>;
  /** Loads the bundles that have just become active. */
  activated(): Promise<void>;
}

/** Two models, the manifest, and the overhead of the form. */
const largestBody = 2 * maxModelBytes + maxManifestBytes + 64 * 1024;
/** The manifest, two models, and some unknown files to report as faults. */
const maxFiles = 8;
/** How long responses wait for read models (contract/http.md#log-positions). */
const activatedWithinMs = 2_000;

const bundleIdBody = {
  type: "object",
  required: ["bundleId"],
  additionalProperties: false,
  properties: { bundleId: { type: "string", minLength: 1, maxLength: 128 } },
} as const;

/**
 * Registers, activates and retires model bundles (contract/administration.md#model-bundles,
 * contract/prediction.md#bundles).
 */
export function bundleRoutes(deps: BundleRouteDeps): readonly Route[] {
  return [
    route({
      method: "post",
      path: "/admin/v1/model-bundles",
      docs: registerBundleDocs,
      operation: "operate",
      files: { limit: largestBody, maxFiles },
      maxLargeBodies: 1,
      handle: async (request) => {
        const read = await readPackage(request.body);
        if (read.outcome === "faulty") return refuse(validationFailed(read.errors));
        return register(deps, read.package, request);
      },
    }),
    route({
      method: "delete",
      path: "/admin/v1/model-bundles/:bundle_id",
      docs: retireBundleDocs,
      operation: "operate",
      handle: (request) => {
        const command = { type: "RetireBundle", bundleId: request.params.bundle_id ?? "" } as const;
        return respondTo(command, deps, request, async ({ position }) => {
          await deps.bundles.refresh();
          return reply(204, null, { position });
        });
      },
    }),
    route({
      method: "put",
      path: "/admin/v1/model-bundle",
      docs: activateBundleDocs,
      operation: "operate",
      body: bundleIdBody,
      handle: (request) => activate(deps, request, null),
    }),
    appRoute({
      method: "put",
      path: "/admin/v1/apps/:app_name/model-bundle",
      docs: activateAppBundleDocs,
      operation: "administer_app",
      body: bundleIdBody,
      handle: (request) => activate(deps, request, request.app),
    }),
  ];
}

function respondTo(
  command: ModelBundleCommand,
  { log }: BundleRouteDeps,
  request: CausingRequest,
  respond: (handled: Handled<ModelBundlesState>) => Promise<Reply>,
): Promise<Reply> {
  return handleHttpCommand(log, modelBundles, modelBundlesStream, command, request, respond);
}

/** A repeated bundle gets the same response; its models are not checked again. */
async function register(
  deps: BundleRouteDeps,
  { bundle, contentHash, models }: BundlePackage,
  request: CausingRequest,
): Promise<Reply> {
  const { bundleId } = bundle;
  const command = { type: "RegisterBundle", data: { ...bundle, contentHash } } as const;
  await deps.bundles.refresh();
  const known = await deps.bundles.find(bundleId);
  if (known?.bundle.contentHash !== contentHash) {
    const faults = await deps.checkModels(bundle, models);
    if (faults.length > 0) {
      return refuse(validationFailed(faults.map((found) => modelFaultAt(bundle, found.model, found.fault))));
    }
    if (known === null) await storeModels(deps, { bundle, models }, request);
  }
  return respondTo(command, deps, request, async ({ position }) => {
    await deps.bundles.refresh();
    const registered = await deps.bundles.find(bundleId);
    if (registered === null) throw new Error("A registered bundle was not found");
    const apps = await Promise.all(registered.appIds.map(deps.findAppById));
    const appNames = apps.flatMap((app) => app?.name ?? []);
    return reply(201, { data: { bundle: bundleRecord(registered, appNames) } }, { position });
  });
}

async function storeModels(
  { log }: BundleRouteDeps,
  { bundle, models }: Pick<BundlePackage, "bundle" | "models">,
  request: CausingRequest,
): Promise<void> {
  for (const name of modelNames) {
    const { sha256 } = bundle.models[name];
    const stream = modelFileStream(sha256);
    await appendFile(log, { stream, idsFrom: sha256, cause: causeOf(request) }, models[name]);
  }
}

function activate(
  deps: BundleRouteDeps,
  request: RouteRequest<{ readonly bundleId: string }, undefined>,
  app: RegisteredApp | null,
): Promise<Reply> {
  const { bundleId } = request.body;
  const command = { type: "ActivateBundle", bundleId, appId: app?.appId ?? null } as const;
  return respondTo(command, deps, request, async ({ position }) => {
    await deps.bundles.refresh();
    // The event is written: a failure to load the bundle here must not fail the request.
    await Promise.race([deps.activated().catch(() => {}), pause(activatedWithinMs, undefined, { ref: false })]);
    return ok({ data: { bundleId, app: app?.name ?? null } }, { position });
  });
}

/** A fault of a model, at its file. */
function modelFaultAt({ models, features }: ModelBundle, name: ModelName, code: ModelFault): Fault {
  const { file, input, output } = models[name];
  return fault(code, ["body", file], { input, output, width: features.length });
}

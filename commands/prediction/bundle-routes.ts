import { setTimeout as pause } from "node:timers/promises";
import type { RegisteredApp } from "../../domain/apps/registered-app.ts";
import { type Fault, fault } from "../../domain/fault.ts";
import { bundleRecord } from "../../domain/prediction/bundle-record.ts";
import type { ModelBundle, ModelName } from "../../domain/prediction/events.ts";
import { type ModelBundleCommand, modelBundles } from "../../domain/prediction/model-bundles.ts";
import { type ModelFault, modelNames } from "../../domain/prediction/model-fault.ts";
import { modelBundlesStream, modelFileStream } from "../../domain/streams.ts";
import type { EventLog } from "../../infra/event-log/event-log.ts";
import { problems, validationFailed } from "../../infra/http/response/problem.ts";
import { ok, type Reply, type Route, type RouteRequest, refuse, reply, route } from "../../infra/http/routing/route.ts";
import { appendFile } from "../file-chunks.ts";
import { handleCommand } from "../handle-command.ts";
import { causeOf } from "../metadata.ts";
import { refuseWith } from "../problems.ts";
import type { BundleDirectory } from "./bundle-directory.ts";
import { type BundlePackage, maxManifestBytes, maxModelBytes, readPackage } from "./bundle-package.ts";

export interface BundleRouteDeps {
  readonly log: EventLog;
  readonly bundles: Pick<BundleDirectory, "find" | "refresh">;
  findAppById(appId: number): Promise<RegisteredApp | null>;
  /** What is wrong with the models, which nothing of this process may be harmed by. */
  checkModels(
    bundle: ModelBundle,
    files: BundlePackage["models"],
  ): Promise<readonly { readonly model: ModelName; readonly fault: ModelFault }[]>;
  /** Makes this process ready to score with a bundle that has just become active. */
  activated(bundleId: string): Promise<void>;
}

/** Two models, the manifest, and what a form puts around them. */
const largestBody = 2 * maxModelBytes + maxManifestBytes + 64 * 1024;
/** The manifest, two models, and some more that are named as unknown. */
const maxFiles = 8;
/** As long as answers wait for what they have changed (contract/http.md#log-positions). */
const activatedWithinMs = 2_000;

const bundleIdBody = {
  type: "object",
  required: ["bundleId"],
  additionalProperties: false,
  properties: { bundleId: { type: "string", minLength: 1, maxLength: 128 } },
} as const;

type Cause = Parameters<typeof causeOf>[0];

/**
 * Registering, activating and retiring model bundles (contract/administration.md#model-bundles,
 * contract/prediction.md#bundles).
 */
export function bundleRoutes(deps: BundleRouteDeps): readonly Route[] {
  return [
    route({
      method: "post",
      path: "/admin/v1/model-bundles",
      operation: "operate",
      files: { limit: largestBody, maxFiles },
      largeBodiesAtOnce: 1,
      handle: async (request) => {
        const read = await readPackage(request.body);
        if (read.outcome === "faulty") return refuse(validationFailed(read.errors));
        return register(deps, read.package, request);
      },
    }),
    route({
      method: "delete",
      path: "/admin/v1/model-bundles/:bundle_id",
      operation: "operate",
      handle: async (request) => {
        const command = { type: "RetireBundle", bundleId: request.params.bundle_id ?? "" } as const;
        const retired = await decided(deps, command, request);
        if (retired.outcome === "rejected") return refuseWith(retired.rejection);
        await deps.bundles.refresh();
        return reply(204, null, retired.position === null ? {} : { position: retired.position });
      },
    }),
    route({
      method: "put",
      path: "/admin/v1/model-bundle",
      operation: "operate",
      body: bundleIdBody,
      handle: (request) => activate(deps, request, null),
    }),
    route({
      method: "put",
      path: "/admin/v1/apps/:app_name/model-bundle",
      operation: "administer_app",
      body: bundleIdBody,
      handle: async (request) =>
        request.app === null ? refuse(problems.appNotFound) : activate(deps, request, request.app),
    }),
  ];
}

function decided(deps: BundleRouteDeps, command: ModelBundleCommand, request: Cause) {
  return handleCommand(deps.log, modelBundles, modelBundlesStream, request.requestId, command, causeOf(request));
}

/** The same bundle again is answered as the first time; its models need no second check. */
async function register(deps: BundleRouteDeps, sent: BundlePackage, request: Cause): Promise<Reply> {
  const { bundle, contentHash, models } = sent;
  const { bundleId } = bundle;
  const command = { type: "RegisterBundle", data: { ...bundle, contentHash } } as const;
  await deps.bundles.refresh();
  const known = await deps.bundles.find(bundleId);
  if (known?.bundle.contentHash !== contentHash) {
    const faults = await deps.checkModels(bundle, models);
    if (faults.length > 0) {
      return refuse(validationFailed(faults.map((found) => modelFaultAt(bundle, found.model, found.fault))));
    }
    if (known === null) await storeModels(deps, sent, request);
  }
  const registered = await decided(deps, command, request);
  if (registered.outcome === "rejected") return refuseWith(registered.rejection);
  await deps.bundles.refresh();
  const listed = await deps.bundles.find(bundleId);
  if (listed === null) throw new Error("A bundle was registered and is not there");
  const apps = await Promise.all(listed.appIds.map(deps.findAppById));
  const answer = {
    bundle: bundleRecord(
      listed,
      apps.flatMap((app) => app?.name ?? []),
    ),
  };
  return reply(201, { data: answer }, registered.position === null ? {} : { position: registered.position });
}

async function storeModels({ log }: BundleRouteDeps, sent: BundlePackage, request: Cause): Promise<void> {
  for (const name of modelNames) {
    const { sha256 } = sent.bundle.models[name];
    const stream = modelFileStream(sha256);
    await appendFile(log, { stream, idsFrom: sha256, cause: causeOf(request) }, sent.models[name]);
  }
}

async function activate(
  deps: BundleRouteDeps,
  request: RouteRequest<{ readonly bundleId: string }, undefined>,
  app: RegisteredApp | null,
): Promise<Reply> {
  const { bundleId } = request.body;
  const command = { type: "ActivateBundle", bundleId, appId: app?.appId ?? null } as const;
  const active = await decided(deps, command, request);
  if (active.outcome === "rejected") return refuseWith(active.rejection);
  await deps.bundles.refresh();
  // What is written is written: the answer never fails because this process is not ready for it.
  await Promise.race([deps.activated(bundleId).catch(() => {}), pause(activatedWithinMs, undefined, { ref: false })]);
  const answer = { data: { bundleId, app: app?.name ?? null } };
  return ok(answer, active.position === null ? {} : { position: active.position });
}

/** A fault of a model, at its file. */
function modelFaultAt({ models, features }: ModelBundle, name: ModelName, code: ModelFault): Fault {
  const { file, input, output } = models[name];
  return fault(code, ["body", file], { input, output, width: features.length });
}

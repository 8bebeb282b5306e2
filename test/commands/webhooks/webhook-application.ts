import { randomUUID } from "node:crypto";
import { Registry } from "prom-client";
import { eventMetadata } from "../../../commands/event-metadata.ts";
import { openLog } from "../../../commands/log-id.ts";
import { webhookRoutes } from "../../../commands/webhooks/routes.ts";
import { uploadStream } from "../../../domain/streams.ts";
import { maxWaitingDeliveries } from "../../../domain/webhooks/limits.ts";
import { openWebhookReactors, webhookRouteDeps } from "../../../infra/composition/webhooks.ts";
import { createEngineTables } from "../../../projections/engine/engine-tables.ts";
import type { ReadModels } from "../../../projections/projection.ts";
import { webhooksProjection } from "../../../projections/webhooks/projection.ts";
import { deliveriesOf, webhookOf, webhooksOf } from "../../../projections/webhooks/queries.ts";
import { webhookReadRoutes } from "../../../read-api/webhooks/routes.ts";
import { exampleUuid } from "../../examples/recorded-log.ts";
import { anUpload, uploadId } from "../../examples/uploads.ts";
import { type Application, servedShop, startApplication } from "../../support/application.ts";
import { testRuntime } from "../reactors/test-runtime.ts";

export const webhooksPath = "/admin/v1/apps/shop/webhooks";
const signingKey = "signing-key-of-the-tests-0123456789";

interface CreatedWebhook {
  readonly id: string;
  readonly secret: string;
}

/** A delivery as the API shows it. */
interface ShownDelivery {
  readonly id: string;
  readonly status: string;
  readonly attempts: number;
  readonly createdAt: string;
  readonly responseStatus: number | null;
  readonly failure: string | null;
  readonly nextAttemptAt: string | null;
}

/** The routes and the reactors of webhooks on real stores, with a clock of the test. */
interface WebhookApplication extends Application {
  /** The time of the reactors. */
  readonly clock: { now: Date };
  /** Lets the time of the reactors pass. */
  later(ms: number): void;
  readonly failures: unknown[];
  createWebhook(url: string, more?: object): Promise<CreatedWebhook>;
  deleteWebhooks(): Promise<void>;
  /** @param query of the list, with its question mark */
  deliveries(
    webhookId: string,
    query?: string,
  ): Promise<{ readonly totalCount: number; readonly deliveries: readonly ShownDelivery[] }>;
  /** Receives and ends one more upload: what webhooks are notified of. Returns its id. */
  finishUpload(): Promise<string>;
  /** Calls as the owner. */
  send(method: string, path: string, body?: unknown): Promise<{ readonly status: number; readonly data: never }>;
  /** Lets the reactors run until a condition holds. */
  runUntil(condition: () => boolean | Promise<boolean>): Promise<void>;
  /** Opens the reactors anew, as a process that starts does. @param maxWaiting deliveries of a webhook that may wait */
  restart(maxWaiting?: number): Promise<void>;
  metrics(): Promise<string>;
}

export async function startWebhookApplication(): Promise<WebhookApplication> {
  const application = await startApplication({
    projections: [webhooksProjection],
    routes: ({ log, readModel }) => {
      const live = async () => readModel();
      const { db } = readModel();
      return [
        ...webhookRoutes({
          log,
          ...webhookRouteDeps({ models: { live }, reading: db as never, signingKey, allowsPrivate: true }),
        }),
        ...webhookReadRoutes({
          webhooksOf: (appId) => webhooksOf(readModel(), appId),
          webhookOf: (appId, webhookId) => webhookOf(readModel(), appId, webhookId),
          deliveriesOf: (search) => deliveriesOf(readModel(), search),
        }),
      ];
    },
  });
  const { log, readModel, project, call } = application;
  const db = readModel().db as never;
  await openLog(log, new Date().toISOString());
  await createEngineTables(db);
  await readModel().db.raw("insert into touchledger.roles (role, epoch) values ('webhooks', 1)");
  const clock = { now: new Date() };
  const runtime = testRuntime(() => clock.now);
  const models: ReadModels = { live: async () => readModel() };
  let registry = new Registry();
  const open = (maxWaiting = maxWaitingDeliveries) =>
    openWebhookReactors({
      maxWaiting,
      ...{ log, models, reporting: db, notifying: db, signingKey, allowsPrivate: true, registry, now: () => clock.now },
      apps: { requireApp: async () => servedShop } as never,
      waitForFacts: async () => true,
    });
  let opened = await open();
  let uploads = 0;
  const send: WebhookApplication["send"] = async (method, path, body) => {
    const { status, json } = await call(
      method,
      path,
      body === undefined ? { token: "owner" } : { token: "owner", body },
    );
    return { status, data: (json as { data?: never } | null)?.data as never };
  };
  return {
    ...application,
    clock,
    later: (ms) => {
      clock.now = new Date(clock.now.getTime() + ms);
    },
    failures: runtime.failures as unknown[],
    send,
    createWebhook: async (url, more = {}) => {
      const { data } = await send("POST", webhooksPath, { url, types: ["upload.finished"], ...more });
      return (data as { webhook: CreatedWebhook }).webhook;
    },
    deleteWebhooks: async () => {
      const { data } = await send("GET", webhooksPath);
      const { webhooks } = data as { readonly webhooks: readonly CreatedWebhook[] };
      for (const { id } of webhooks) await send("DELETE", `${webhooksPath}/${id}`);
    },
    deliveries: async (webhookId, query = "") =>
      (await send("GET", `${webhooksPath}/${webhookId}/deliveries${query}`)).data,
    finishUpload: async () => {
      uploads += 1;
      const { received, rejected } = anUpload(uploads);
      const cause = {
        actor: { kind: "operator" },
        requestId: randomUUID(),
        occurredAt: clock.now.toISOString(),
      } as const;
      const events = [received, rejected].map((event, index) => ({
        ...{ id: exampleUuid(event.type, uploads * 2 + index), ...event, metadata: eventMetadata(event.type, cause) },
      }));
      await log.append(uploadStream(uploadId(uploads)), "no_stream", events);
      await project();
      return uploadId(uploads);
    },
    runUntil: (condition) => runtime.runUntil(opened.reactors, condition),
    restart: async (maxWaiting) => {
      opened.close();
      registry = new Registry();
      opened = await open(maxWaiting);
    },
    metrics: () => registry.metrics(),
    close: async () => {
      opened.close();
      await application.close();
    },
  };
}

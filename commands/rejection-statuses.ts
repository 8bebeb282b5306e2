import type { AppControlsRejection } from "../domain/apps/app-controls.ts";
import type { AppRegistryRejection } from "../domain/apps/app-registry.ts";
import type { CertificationRejection } from "../domain/channels/certifications.ts";
import type { ChannelRejection } from "../domain/channels/channel.ts";
import type { ConversionModelRejection } from "../domain/conversion-values/conversion-model.ts";
import { isRejection, type Rejection } from "../domain/decider.ts";
import type { ExchangeRatesRejection } from "../domain/exchange-rates/exchange-rates.ts";
import { type Fault, fault } from "../domain/fault.ts";
import type { IdempotencyRejection } from "../domain/idempotency/idempotency-key.ts";
import type { ModelBundlesRejection } from "../domain/prediction/model-bundles.ts";
import type { RawExportRejection } from "../domain/raw-exports/export-day.ts";
import type { ReportTaskRejection } from "../domain/report-tasks/report-task.ts";
import type { GrantRejection } from "../domain/tokens/grant.ts";
import type { TokenRejection } from "../domain/tokens/token.ts";
import type { TrackingLinkRejection } from "../domain/tracking-links/tracking-link.ts";
import type { UploadRejection } from "../domain/uploads/upload.ts";
import type { AppWebhooksRejection } from "../domain/webhooks/app-webhooks.ts";
import { type Problem, problems, validationFailed } from "../infra/http/response/problem.ts";
import { type Reply, refuse } from "../infra/http/routing/route.ts";
import { StreamTooBusy } from "./handle-command.ts";
import { JournalFull } from "./journals/journal.ts";

/** The codes of every decider's rejections. */
export type RejectionCode =
  | AppRegistryRejection
  | AppControlsRejection
  | AppWebhooksRejection
  | CertificationRejection
  | ChannelRejection
  | ConversionModelRejection
  | ExchangeRatesRejection
  | GrantRejection
  | IdempotencyRejection
  | ModelBundlesRejection
  | RawExportRejection
  | ReportTaskRejection
  | TokenRejection
  | TrackingLinkRejection
  | UploadRejection;

/** The HTTP status of each rejection; a missing one is a type error. */
const statuses: Readonly<Record<RejectionCode, number>> = {
  APP_NAME_TAKEN: 409,
  APP_NOT_FOUND: 404,
  BUNDLE_ACTIVE: 409,
  BUNDLE_ID_TAKEN: 409,
  BUNDLE_NOT_FOUND: 404,
  BUNDLE_RETIRED: 409,
  CERTIFICATION_NOT_FOUND: 404,
  CHANNELS_NOT_ALLOWED: 400,
  CHANNELS_REQUIRED: 400,
  CHANNEL_NAME_INVALID: 400,
  CHANNEL_NAME_RESERVED: 400,
  CHANNEL_NOT_FOUND: 404,
  CONVERSION_MODEL_NOT_ALLOWED: 400,
  EXCHANGE_RATE_DATE_NOT_ALLOWED: 400,
  EXCHANGE_RATE_NOT_ALLOWED: 400,
  EXPORT_ENDED_OTHERWISE: 409,
  EXPORT_LIMIT_REACHED: 429,
  EXPORT_NOT_REQUESTED: 404,
  IDEMPOTENCY_KEY_REUSED: 409,
  IOS_STORE_ID_TAKEN: 409,
  LINK_INVALID: 422,
  REPORT_ENDED_OTHERWISE: 409,
  REPORT_NOT_REQUESTED: 404,
  RESPONSE_FORMAT_TAKEN: 409,
  ROLE_NOT_ALLOWED: 400,
  ROLE_REQUIRED: 400,
  SHORT_ID_TAKEN: 422,
  TOKEN_ID_TAKEN: 409,
  TOKEN_NOT_FOUND: 404,
  TRACKING_LINK_NOT_FOUND: 404,
  UPLOADED_METRIC_NOT_FOUND: 404,
  UPLOAD_ACCEPTED: 409,
  UPLOAD_ENDED_OTHERWISE: 409,
  UPLOAD_IN_FORCE: 409,
  UPLOAD_NOT_RECEIVED: 404,
  UPLOAD_ROWS_OUT_OF_ORDER: 409,
  UPLOAD_STEP_MISSING: 409,
  WEBHOOK_LIMIT_REACHED: 409,
  WEBHOOK_NOT_FOUND: 404,
};

/** Rejections as the documentation of a route lists them, with an example of their faults where these have the text. */
export function rejectionsOf(...codes: readonly RejectionCode[]): readonly Problem[] {
  return codes.map((rejected) => problemOf({ rejected, faults: exampleFaults[rejected] ?? [] }));
}

const exampleFaults: { readonly [Code in RejectionCode]?: readonly Fault[] } = {
  APP_NAME_TAKEN: [fault("app_name_taken", ["body", "name"], { name: "shop" })],
  CHANNEL_NOT_FOUND: [fault("channel_not_found", ["path", "name"])],
  IOS_STORE_ID_TAKEN: [fault("ios_store_id_taken", ["body", "iosStoreId"])],
  RESPONSE_FORMAT_TAKEN: [fault("response_format_taken", ["body", "responseFormat"])],
};

/** Rejections whose faults say what a field must be, such as "must be 1": alone, this text has no subject. */
const ofFields: ReadonlySet<RejectionCode> = new Set(["CONVERSION_MODEL_NOT_ALLOWED", "EXCHANGE_RATE_NOT_ALLOWED"]);

/** The problem of a rejection. Its detail is the text of the first fault, if there is one that is a sentence. */
export function problemOf({ rejected, faults = [] }: Rejection<RejectionCode>): Problem {
  const problem = { status: statuses[rejected], code: rejected };
  const detail = ofFields.has(rejected) ? { code: "VALIDATION_FAILED" } : faults[0];
  if (detail === undefined) return problem;
  return faults.length === 0 ? { ...problem, detail } : { ...problem, detail, errors: faults };
}

/** The problem of a rejected link. `fieldStatus`: of one with faults, which differs by route (contract/http.md#statuses). */
export function linkProblem(rejection: Rejection<TrackingLinkRejection>, fieldStatus: 404 | 422): Problem {
  const { rejected, faults = [] } = rejection;
  return rejected === "LINK_INVALID" ? validationFailed(faults, fieldStatus) : problemOf(rejection);
}

/**
 * The faults of a body that a decider finds whatever was decided before, as `rules` of a route report them: with paths that
 * begin at the body.
 */
export function bodyFaults<Code extends string>(decision: readonly unknown[] | Rejection<Code>): readonly Fault[] {
  if (!isRejection(decision)) return [];
  return (decision.faults ?? []).flatMap(({ path: [part, ...path], ...found }) =>
    part === "body" ? [{ ...found, path }] : [],
  );
}

/** A rejection as the reply of a handler. */
export function refuseWith(rejection: Rejection<RejectionCode>): Reply {
  return refuse(problemOf(rejection));
}

/** The problem of a failed command; null for other failures. */
export function problemOfCommandFailure(failure: unknown): Problem | null {
  return failure instanceof StreamTooBusy || failure instanceof JournalFull ? problems.overloaded : null;
}

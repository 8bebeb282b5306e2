import type { AppRegistryRejection } from "../domain/apps/app-registry.ts";
import type { AppSettingsRejection } from "../domain/apps/app-settings.ts";
import type { CertificationRejection } from "../domain/channels/certifications.ts";
import type { ChannelRejection } from "../domain/channels/channel.ts";
import type { ConversionModelRejection } from "../domain/conversion-values/conversion-model.ts";
import type { Rejection } from "../domain/decider.ts";
import type { ExchangeRatesRejection } from "../domain/exchange-rates/exchange-rates.ts";
import type { IdempotencyRejection } from "../domain/idempotency/idempotency-key.ts";
import type { ModelBundlesRejection } from "../domain/prediction/model-bundles.ts";
import type { RawExportRejection } from "../domain/raw-exports/export-day.ts";
import type { ReportTaskRejection } from "../domain/report-tasks/report-task.ts";
import type { GrantRejection } from "../domain/tokens/grant.ts";
import type { TokenRejection } from "../domain/tokens/token.ts";
import type { TrackingLinkRejection } from "../domain/tracking-links/tracking-link.ts";
import type { UploadRejection } from "../domain/uploads/upload.ts";
import { type Problem, problems } from "../infra/http/response/problem.ts";
import { type Reply, refuse } from "../infra/http/routing/route.ts";
import { StreamTooBusy } from "./handle-command.ts";

/** Every code that a decision can refuse with: a new one goes here and into the record below. */
export type RejectionCode =
  | AppRegistryRejection
  | AppSettingsRejection
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

type Answer = Pick<Problem, "status" | "title" | "detail">;

const badRequest = (detail: string): Answer => ({ status: 400, title: "Bad request", detail });
const notFound = (detail: string): Answer => ({ status: 404, title: "Not found", detail });
const unprocessable = (detail: string): Answer => ({ status: 422, title: "Unprocessable content", detail });
const conflict = (detail: string): Answer => ({ status: 409, title: "Conflict", detail });

/** What each rejection is answered with; does not compile while one is missing. */
const answers: Readonly<Record<RejectionCode, Answer>> = {
  APP_NAME_TAKEN: conflict("An app of that name is registered already."),
  BUNDLE_ACTIVE: conflict("That model bundle is active; activate another one in its place first."),
  BUNDLE_ID_TAKEN: conflict("That bundleId belongs to another model bundle."),
  BUNDLE_NOT_FOUND: notFound("There is no such model bundle."),
  BUNDLE_RETIRED: conflict("That model bundle is retired, and never active again."),
  CERTIFICATION_NOT_FOUND: notFound("That channel was never certified."),
  CHANNEL_NAME_INVALID: badRequest("A channel's name is 1 to 256 of a-z, 0-9, dot, hyphen and underscore."),
  CHANNEL_NAME_RESERVED: badRequest("That name means something else in reports."),
  CHANNEL_NOT_FOUND: notFound("No channel of that name is registered or built in."),
  CHANNELS_NOT_ALLOWED: badRequest("Only a token of role media_partner carries channels."),
  CHANNELS_REQUIRED: badRequest("A token of role media_partner needs the channels that it may see."),
  CONVERSION_MODEL_NOT_ALLOWED: badRequest("Conversion values cannot mean that."),
  EXCHANGE_RATE_DATE_NOT_ALLOWED: badRequest("Rates are set for dates from 2000-01-01 to tomorrow."),
  EXCHANGE_RATE_NOT_ALLOWED: badRequest("A rate is above 0, of a currency of ISO 4217; that of the base is 1."),
  EXPORT_ENDED_OTHERWISE: conflict("That export has already ended."),
  EXPORT_LIMIT_REACHED: {
    status: 429,
    title: "Too many requests",
    detail: "An app may request 100 exports a day; try again after the seconds that Retry-After names.",
  },
  EXPORT_NOT_REQUESTED: notFound("There is no such export."),
  IDEMPOTENCY_KEY_REUSED: conflict("That Idempotency-Key belongs to another request; send a fresh one."),
  IOS_STORE_ID_TAKEN: conflict("That iosStoreId belongs to another app."),
  LINK_INVALID: unprocessable("A link cannot lead there."),
  REPORT_ENDED_OTHERWISE: conflict("That report has ended, and ends do not change."),
  REPORT_NOT_REQUESTED: notFound("There is no such report."),
  RESPONSE_FORMAT_TAKEN: conflict("That responseFormat belongs to another certified channel."),
  ROLE_NOT_ALLOWED: badRequest("Only a token of kind api carries a role."),
  ROLE_REQUIRED: badRequest("A token of kind api needs a role."),
  SHORT_ID_TAKEN: unprocessable("That short id is taken."),
  TOKEN_ID_TAKEN: conflict("That token has been issued already."),
  TOKEN_NOT_FOUND: notFound("There is no such token."),
  TRACKING_LINK_NOT_FOUND: notFound("There is no such tracking link."),
  UPLOAD_ACCEPTED: conflict("That upload's file has been accepted."),
  UPLOAD_ENDED_OTHERWISE: conflict("That upload has ended, and ends do not change."),
  UPLOAD_IN_FORCE: conflict("The rows of that upload are in reports already."),
  UPLOAD_NOT_RECEIVED: notFound("There is no such upload."),
  UPLOAD_ROWS_OUT_OF_ORDER: conflict("Those are not the next rows of that upload's file."),
  UPLOAD_STEP_MISSING: conflict("That upload has not come so far."),
  UPLOADED_METRIC_NOT_FOUND: notFound("The app has never uploaded a metric of that name."),
};

/** The problem that a rejection is answered with; the field at fault stands in `errors`. */
export function problemOf(rejection: Rejection<RejectionCode>): Problem {
  const { rejected, field, detail } = rejection;
  const answer = answers[rejected];
  const msg = detail ?? answer.detail;
  return {
    ...answer,
    code: rejected,
    detail: msg,
    ...(field === undefined ? {} : { errors: [{ loc: field, msg, type: rejected.toLowerCase() }] }),
  };
}

/** A rejection as a handler's answer. */
export function refuseWith(rejection: Rejection<RejectionCode>): Reply {
  return refuse(problemOf(rejection));
}

/** What failures of commands are answered with; null for those that commands know nothing of. */
export function problemOfCommandFailure(failure: unknown): Problem | null {
  return failure instanceof StreamTooBusy ? problems.overloaded : null;
}

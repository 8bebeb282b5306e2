import type { Principal } from "./principal.ts";

/**
 * Columns of the table of permissions (contract/tokens.md#permissions): kinds of token, `api` tokens by role, and the
 * operator.
 */
type Caller =
  | "operator"
  | "owner"
  | "in_house_marketer"
  | "agency"
  | "media_partner"
  | "link"
  | "sdk"
  | "web"
  | "channel";

/** The table of permissions (contract/tokens.md#permissions, contract/tokens.md#operators). */
export const permissions = {
  create_tracking_link: ["owner", "in_house_marketer", "agency", "link"],
  manage_tracking_links: ["owner", "in_house_marketer", "agency"],
  report_actuals: ["owner", "in_house_marketer", "agency", "media_partner"],
  /** Retention and revenue. */
  report_cohorts: ["owner", "in_house_marketer"],
  report_active_users: ["owner", "in_house_marketer", "agency", "media_partner"],
  report_metadata: ["owner", "in_house_marketer", "agency", "media_partner"],
  /** To send the three kinds of uploads, and to read their status. */
  upload_data: ["owner", "in_house_marketer"],
  /** To request an export of raw data, and to read its status. */
  raw_export: ["owner", "in_house_marketer"],
  ingest_app_events: ["owner", "in_house_marketer", "sdk", "web"],
  /** To read the destination of the click that won an install. */
  open_deferred_link: ["owner", "in_house_marketer", "sdk"],
  /** To send app events as a beacon, whose token is in the address. */
  send_beacon: ["web"],
  look_up_device: ["owner", "in_house_marketer", "sdk", "web"],
  ingest_touchpoints: ["owner"],
  /** Context prediction; other callers get 401 there (contract/tokens.md#permissions). */
  predict_context: ["sdk", "web"],
  /** The conversion-value feeds; other callers get 401 there (contract/tokens.md#permissions). */
  read_conversion_values: ["channel"],
  /** To read the token and its permissions. */
  whoami: ["operator", "owner", "in_house_marketer", "agency", "media_partner", "link", "sdk", "web"],
  /** Paths of one app under `/admin/v1/apps/{app_name}`. */
  administer_app: ["operator", "owner"],
  /** To archive and to restore an uploaded metric of one app. */
  archive_metric: ["operator"],
  /** Operator-only paths. */
  operate: ["operator"],
} as const satisfies Record<string, readonly Caller[]>;

export type Operation = keyof typeof permissions;

/** Whether a caller may perform an operation on some app; which app is checked elsewhere. */
export function mayDo(principal: Principal, operation: Operation): boolean {
  const callers: readonly Caller[] = permissions[operation];
  return callers.includes(callerOf(principal));
}

function callerOf(principal: Principal): Caller {
  if (principal.kind !== "token") return principal.kind;
  return principal.tokenKind === "api" ? (principal.role ?? "media_partner") : principal.tokenKind;
}

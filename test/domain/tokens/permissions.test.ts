import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Role, TokenKind } from "../../../domain/tokens/events.ts";
import { mayDo, type Operation } from "../../../domain/tokens/permissions.ts";
import type { Principal } from "../../../domain/tokens/principal.ts";

function token(tokenKind: TokenKind, role: Role | null = null): Principal {
  return { kind: "token", tokenId: "id", tokenKind, role, appId: 1, channels: [] };
}

/** The columns of the table of permissions (contract/tokens.md#permissions), the operator before the last. */
const callers: readonly Principal[] = [
  token("api", "owner"),
  token("api", "in_house_marketer"),
  token("api", "agency"),
  token("api", "media_partner"),
  token("link"),
  token("sdk"),
  token("web"),
  { kind: "operator" },
  { kind: "channel", tokenId: "id", channel: "tiktok", responseFormat: "TikTok For Business" },
];

/** The rows of the table of permissions (contract/tokens.md#permissions). */
const rows: { readonly [operation in Operation]: string } = {
  create_tracking_link: "yes yes yes no  yes no  no  no  no",
  manage_tracking_links: "yes yes yes no  no  no  no  no  no",
  report_actuals: "yes yes yes yes no  no  no  no  no",
  report_cohorts: "yes yes no  no  no  no  no  no  no",
  report_active_users: "yes yes yes yes no  no  no  no  no",
  report_metadata: "yes yes yes yes no  no  no  no  no",
  upload_data: "yes yes no  no  no  no  no  no  no",
  raw_export: "yes yes no  no  no  no  no  no  no",
  ingest_app_events: "yes yes no  no  no  yes yes no  no",
  open_deferred_link: "yes yes no  no  no  yes no  no  no",
  send_beacon: "no  no  no  no  no  no  yes no  no",
  look_up_device: "yes yes no  no  no  yes yes no  no",
  ingest_touchpoints: "yes no  no  no  no  no  no  no  no",
  predict_context: "no  no  no  no  no  yes yes no  no",
  read_conversion_values: "no  no  no  no  no  no  no  no  yes",
  whoami: "yes yes yes yes yes yes yes yes no",
  administer_app: "yes no  no  no  no  no  no  yes no",
  archive_metric: "no  no  no  no  no  no  no  yes no",
  operate: "no  no  no  no  no  no  no  yes no",
};

const permissions = suite("who may do what");

for (const [operation, row] of Object.entries(rows)) {
  permissions(`${operation}: ${row.replace(/ +/g, " ")}`, () => {
    const answers = callers.map((caller) => mayDo(caller, operation as Operation));
    assert.equal(
      answers,
      row.split(/ +/).map((word) => word === "yes"),
    );
  });
}

permissions("is nothing for a token of no role that should have one, beyond what a media partner may", () => {
  const roleless = token("api");
  const partner = token("api", "media_partner");
  for (const operation of Object.keys(rows)) {
    assert.is(mayDo(roleless, operation as Operation), mayDo(partner, operation as Operation), operation);
  }
});

permissions.run();

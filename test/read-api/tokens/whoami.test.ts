import { suite } from "uvu";
import * as assert from "uvu/assert";
import { defaultRateLimits } from "../../../infra/config/rate-limits.ts";
import { limitsOf } from "../../../infra/http/routing/rate-limiter.ts";
import { whoamiRoute } from "../../../read-api/tokens/whoami-route.ts";
import { principals } from "../../support/application.ts";
import { serveRoutes } from "../../support/served-routes.ts";

const application = await serveRoutes([whoamiRoute((principal) => limitsOf(defaultRateLimits, principal))]);
const whoami = suite("who am I");
whoami.after(() => application.close());

interface Caller {
  readonly permissions: readonly string[];
  readonly limits: object;
}

async function ask(token: string): Promise<Caller> {
  const { json } = await application.call("GET", "/admin/v1/whoami", { token });
  return (json as { readonly data: Caller }).data;
}

whoami("is the kind, role, app, permissions and limits of the token", async () => {
  const { permissions, ...agency } = await ask("agency");
  const { tokenId } = principals.agency as { readonly tokenId: string };
  const {
    "ingest-sdk": _sdk,
    "ingest-device": _device,
    context: _context,
    anonymous: _,
    ...limits
  } = defaultRateLimits;
  assert.equal(agency, { kind: "api", tokenId, role: "agency", channels: null, app: "shop", limits });
  assert.equal(permissions, [
    ...["create_tracking_link", "manage_tracking_links", "report_actuals", "report_active_users", "report_metadata"],
    "whoami",
  ]);
});

whoami("names no app for the operator, and is for every token", async () => {
  const { permissions: _permissions, ...operator } = await ask("operator");
  const limits = { other: defaultRateLimits.other };
  assert.equal(operator, { kind: "operator", tokenId: null, role: null, channels: null, app: null, limits });
  assert.equal((await ask("sdk")).permissions, [
    ...["ingest_app_events", "open_deferred_link", "look_up_device", "predict_context", "whoami"],
  ]);
});

whoami("is empty of limits when they are off", () => {
  assert.equal(limitsOf("off", { kind: "operator" }), {});
});

whoami.run();

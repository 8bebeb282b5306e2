import { suite } from "uvu";
import * as assert from "uvu/assert";
import { grantOf } from "../../../domain/tokens/grant.ts";

const grant = suite("what a token grants");

grant("is a role for api tokens alone", () => {
  assert.equal(grantOf({ kind: "api", role: "agency" }), { kind: "api", role: "agency", channels: [], label: null });
  assert.equal(grantOf({ kind: "sdk", label: "phones" }), { kind: "sdk", role: null, channels: [], label: "phones" });
  assert.equal(grantOf({ kind: "api" }), { rejected: "ROLE_REQUIRED", field: ["body", "role"] });
  assert.equal(grantOf({ kind: "web", role: "owner" }), { rejected: "ROLE_NOT_ALLOWED", field: ["body", "role"] });
});

grant("is channels for media partners alone", () => {
  const partner = { kind: "api", role: "media_partner", channels: ["tiktok"] } as const;
  assert.equal(grantOf(partner), { ...partner, label: null });
  const field = ["body", "channels"];
  assert.equal(grantOf({ ...partner, channels: [] }), { rejected: "CHANNELS_REQUIRED", field });
  assert.equal(grantOf({ ...partner, role: "owner" }), { rejected: "CHANNELS_NOT_ALLOWED", field });
});

grant.run();

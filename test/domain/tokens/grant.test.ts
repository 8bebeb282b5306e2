import { suite } from "uvu";
import * as assert from "uvu/assert";
import { rejectField } from "../../../domain/decider.ts";
import { grantOf } from "../../../domain/tokens/grant.ts";

const grant = suite("what a token grants");

grant("is a role only for api tokens", () => {
  assert.equal(grantOf({ kind: "api", role: "agency" }), { kind: "api", role: "agency", channels: [], label: null });
  assert.equal(grantOf({ kind: "sdk", label: "phones" }), { kind: "sdk", role: null, channels: [], label: "phones" });
  assert.equal(grantOf({ kind: "api" }), rejectField("ROLE_REQUIRED", ["body", "role"]));
  assert.equal(grantOf({ kind: "web", role: "owner" }), rejectField("ROLE_NOT_ALLOWED", ["body", "role"]));
});

grant("is channels only for media partners", () => {
  const partner = { kind: "api", role: "media_partner", channels: ["tiktok"] } as const;
  assert.equal(grantOf(partner), { ...partner, label: null });
  const path = ["body", "channels"];
  assert.equal(grantOf({ ...partner, channels: [] }), rejectField("CHANNELS_REQUIRED", path));
  assert.equal(grantOf({ ...partner, role: "owner" }), rejectField("CHANNELS_NOT_ALLOWED", path));
});

grant.run();

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { identifierOf, trimmedIdentifier } from "../../../domain/prediction/identifier.ts";

const trimming = suite("an identifier (C: ContextRequest)");

trimming("loses every white space of Unicode around it", () => {
  const whiteSpace = "\t\n\v\f\r \u0085\u00a0\u1680\u2000\u2003\u200a\u2028\u2029\u202f\u205f\u3000";
  assert.is(trimmedIdentifier(`${whiteSpace}a${whiteSpace}`), "a");
  assert.is(trimmedIdentifier(whiteSpace), "");
});

trimming("keeps what is inside, and what is no white space", () => {
  assert.is(trimmedIdentifier(" a \u3000 b "), "a \u3000 b");
  assert.is(trimmedIdentifier("\ufeffa\u200b"), "\ufeffa\u200b");
});

trimming("is named by one field", () => {
  assert.equal(identifierOf({ userId: " U " }), { kind: "service_generated_uuid", value: "U" });
  assert.equal(identifierOf({ partnerDeviceId: "d" }), { kind: "partner_device_id", value: "d" });
  assert.equal(identifierOf({ serviceExternalUserId: "x" }), { kind: "service_external_user_id", value: "x" });
  assert.is(identifierOf({}), null);
});

trimming.run();

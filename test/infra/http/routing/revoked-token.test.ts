import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { HeldKey, KeyedRequests } from "../../../../infra/http/routing/idempotency.ts";
import { ok, route } from "../../../../infra/http/routing/route.ts";
import { principals } from "../../../support/application.ts";
import { serveRoutes } from "../../../support/served-routes.ts";
import { testRouteDocs } from "../../../support/test-route-docs.ts";

let handled = 0;
const body = { type: "object", additionalProperties: false, properties: { note: { type: "string" } } } as const;
const shared = { docs: testRouteDocs, method: "post", operation: "manage_tracking_links", body } as const;
const handle = async () => {
  handled += 1;
  return ok({});
};
const plain = route({ ...shared, path: "/test/plain", handle });
const keyed = route({ ...shared, path: "/test/keyed", idempotent: true, handle });

let isRevoked = false;
let checked = (): void => {};
const key: HeldKey = {
  isAnswered: false,
  claim: async () => ({ outcome: "claimed", commandId: "c-1", claimedAt: "2026-03-01T00:00:00.000Z" }),
  store: async (_hash, response) => response,
};
const keyedRequests: KeyedRequests = { withKey: (_appId, _key, use) => use(key) };
const { port, close } = await serveRoutes([plain, keyed], {
  authenticate: async () => {
    checked();
    return isRevoked ? "unknown" : principals.owner;
  },
  keyed: keyedRequests,
});

/** Sends half of a body, calls `meanwhile` once the token was checked, then sends the rest; returns the status. */
async function slowlySent(path: string, meanwhile: () => void): Promise<number | undefined> {
  const firstCheck = new Promise<void>((resolve) => {
    checked = resolve;
  });
  const text = JSON.stringify({ note: "x".repeat(100) });
  const headers = { "Content-Length": text.length, "Idempotency-Key": "k-1", Authorization: "Bearer owner" };
  const sent = request({ host: "127.0.0.1", port, method: "POST", path, headers });
  sent.write(text.slice(0, 50));
  await firstCheck;
  meanwhile();
  sent.end(text.slice(50));
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  response.resume();
  return response.statusCode;
}

const revoked = suite("a token that is revoked while a body arrives");
revoked.before.each(() => {
  handled = 0;
  isRevoked = false;
});
revoked.after(close);

for (const path of ["/test/plain", "/test/keyed"]) {
  revoked(`no longer does anything at ${path}`, async () => {
    const revoke = (): void => {
      isRevoked = true;
    };
    assert.equal([await slowlySent(path, revoke), handled], [401, 0]);
  });
  revoked(`is checked against one that stays valid at ${path}`, async () => {
    assert.equal([await slowlySent(path, () => {}), handled], [200, 1]);
  });
}

revoked.run();

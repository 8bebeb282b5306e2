import { suite } from "uvu";
import * as assert from "uvu/assert";
import { hashOfToken } from "../../../commands/tokens/issue-token.ts";
import type { SecurityEvent } from "../../../infra/process/security-log.ts";
import { type Administration, adminToken, startAdministration } from "../../support/administration.ts";
import { type Answer, statusesOf } from "../../support/raw-client.ts";
import { outcomeOf } from "../../support/served-routes.ts";
import { problemOf } from "../../support/short-faults.ts";

interface Token {
  readonly id: string;
  readonly secret: string;
  readonly issuedAt: string;
}

interface Listed {
  readonly id: string;
  readonly revokedAt: string | null;
  readonly lastUsedAt: string | null;
}

let application: Administration;
let owner = "";
let foreigner = "";
const securityEvents: SecurityEvent[] = [];
const usedAt = new Date("2026-03-31T00:00:00.000Z");
/** The id of a token is the beginning of its hash. */
const ownerId = () => hashOfToken(owner).tokenId;
const tokens = suite("an app's tokens");
tokens.before(async () => {
  application = await startAdministration({
    lastUsesOf: () => new Map([[ownerId(), usedAt]]),
    secured: (event) => securityEvents.push(event),
  });
  owner = (await application.registerApp("shop")).tokens.api ?? "";
  foreigner = (await application.registerApp("cafe")).tokens.api ?? "";
});
tokens.after(() => application.close());

const path = "/admin/v1/apps/shop/tokens";
const issue = (body: unknown, token = owner): Promise<Answer> => application.call("POST", path, { token, body });
const issued = ({ json }: Answer): Token => (json as { data: { token: Token } }).data.token;
const listed = async (): Promise<readonly Listed[]> => {
  const { json } = await application.call("GET", path, { token: owner });
  return (json as { data: { tokens: [] } }).data.tokens;
};

tokens("are issued with their secret and listed without it", async () => {
  const request = { kind: "api", role: "media_partner", channels: ["tiktok", "Newsletter März"], label: "partner" };
  const answer = await issue(request);
  assert.is(answer.status, 201);
  const { secret, ...token } = issued(answer);
  assert.match(secret, /^tl_api_/);
  assert.equal(token, { id: token.id, ...request, issuedAt: token.issuedAt, revokedAt: null });
  assert.equal(
    (await listed()).find(({ id }) => id === token.id),
    { ...token, lastUsedAt: null },
  );
});

tokens("are listed with when they were last used", async () => {
  assert.is((await listed()).find(({ id }) => id === ownerId())?.lastUsedAt, usedAt.toISOString());
});

tokens("are listed newest first, in pages", async () => {
  const { id } = issued(await issue({ kind: "sdk", label: "newest" }));
  const all = await listed();
  assert.is(all[0]?.id, id);
  const { json } = await application.call("GET", `${path}?skip=1&size=2`, { token: owner });
  assert.equal(json, { data: { totalCount: all.length, tokens: all.slice(1, 3) } });
  const sized = [0, 1, 500, 501].map((size) => application.call("GET", `${path}?size=${size}`, { token: owner }));
  assert.equal(statusesOf(await Promise.all(sized)), [400, 200, 200, 400]);
});

tokens("of every kind work at once", async () => {
  const statuses = [];
  for (const body of [
    { kind: "sdk" },
    { kind: "web" },
    { kind: "link" },
    { kind: "api", role: "owner" },
    { kind: "api", role: "agency" },
  ]) {
    const { secret } = issued(await issue(body));
    statuses.push((await application.call("GET", path, { token: secret })).status);
  }
  assert.equal(statuses, [403, 403, 403, 200, 403]);
});

tokens("are rejected with the field at fault", async () => {
  const refusals: readonly (readonly [unknown, string, readonly unknown[]])[] = [
    [{ kind: "api" }, "ROLE_REQUIRED", ["body", "role"]],
    [{ kind: "root" }, "VALIDATION_FAILED", ["body", "kind"]],
    [{ kind: "api", role: "media_partner", channels: ["organic"] }, "VALIDATION_FAILED", ["body", "channels", 0]],
    [{ kind: "sdk", label: "x".repeat(257) }, "VALIDATION_FAILED", ["body", "label"]],
  ];
  for (const [body, code, loc] of refusals) {
    const problem = problemOf(await issue(body));
    assert.equal([problem.status, problem.code, problem.errors[0]?.slice(0, -1)], [400, code, loc]);
  }
});

tokens("stop working within 2 s of being revoked", async () => {
  const { id, secret } = issued(await issue({ kind: "api", role: "owner" }));
  assert.is((await application.call("GET", path, { token: secret })).status, 200);
  const revoke = (): Promise<Answer> => application.call("DELETE", `${path}/${id}`, { token: adminToken });
  const revoked = await revoke();
  const since = performance.now();
  assert.equal([revoked.status, revoked.text], [204, ""]);
  assert.match(String(revoked.headers["x-log-position"]), /^\d+$/);
  let status = 200;
  let elapsedMs = 0;
  while (status === 200 && elapsedMs < 2_000) {
    elapsedMs = performance.now() - since;
    ({ status } = await application.call("GET", path, { token: secret }));
  }
  assert.is(status, 401);
  assert.is((await revoke()).status, 204);
  assert.type((await listed()).find((token) => token.id === id)?.revokedAt, "string");
});

tokens("are in the security log with their ids when they are issued and revoked", async () => {
  securityEvents.length = 0;
  const { id } = issued(await issue({ kind: "sdk" }));
  await application.call("DELETE", `${path}/${id}`, { token: owner });
  assert.equal(
    securityEvents.map(({ event, tokens }) => [event, tokens]),
    [
      ["token_issued", [id]],
      ["token_revoked", [id]],
    ],
  );
});

tokens("are revoked by their own app only", async () => {
  const { id } = issued(await issue({ kind: "sdk" }));
  for (const tokenId of [id, "a%2fb"]) {
    const path = `/admin/v1/apps/cafe/tokens/${tokenId}`;
    assert.is(outcomeOf(await application.call("DELETE", path, { token: foreigner })), "404 TOKEN_NOT_FOUND");
  }
});

tokens.run();

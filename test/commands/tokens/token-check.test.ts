import { suite } from "uvu";
import * as assert from "uvu/assert";
import { handleCommand } from "../../../commands/handle-command.ts";
import { generateToken, issueToken } from "../../../commands/tokens/issue-token.ts";
import { createTokenCheck, type TokenCheck } from "../../../commands/tokens/token-check.ts";
import { certifications } from "../../../domain/channels/certifications.ts";
import { channelCertificationsStream, tokenStream } from "../../../domain/streams.ts";
import { type EventLog, EventLogUnavailable } from "../../../infra/event-log/event-log.ts";
import { operatorCause } from "../../examples/cause.ts";
import { startTestLog, type TestLog } from "../../support/event-store.ts";

const adminToken = "operator-token-of-the-tests-0123456789";
const owner = { kind: "api", role: "owner", channels: [], label: null } as const;

/** The log, counting its reads. */
function counted(log: EventLog): { readonly log: EventLog; reads(): number } {
  let reads = 0;
  const read: EventLog["read"] = (stream, from) => {
    reads += 1;
    return log.read(stream, from);
  };
  return { log: { ...log, read }, reads: () => reads };
}

let store: TestLog;
const check = suite("checking a token");
check.before(async () => {
  store = await startTestLog();
});
check.after(() => store.close());

const bearer = (check: TokenCheck, text: string) => check(`Bearer ${text}`);

check("accepts the whole admin token only, without reading the log", async () => {
  const { log, reads } = counted(store.log);
  const check = createTokenCheck(log, adminToken);
  assert.equal(await bearer(check, adminToken), { kind: "operator" });
  assert.equal(await check(`bearer ${adminToken}`), { kind: "operator" });
  assert.is(await bearer(check, adminToken.slice(0, -1)), "unknown");
  assert.is(await bearer(createTokenCheck(log, null), adminToken), "unknown");
  assert.is(reads(), 0);
});

for (const [length, expected] of [
  [1_023, { kind: "operator" }],
  [1_024, { kind: "operator" }],
  [1_025, "unknown"],
] as const) {
  check(`answers ${JSON.stringify(expected)} for a header of ${length} characters with the right token`, async () => {
    const long = "x".repeat(length - "Bearer ".length);
    assert.equal(await bearer(createTokenCheck(store.log, long), long), expected);
  });
}

check("distinguishes a missing token from an unknown one; malformed ones cost no read", async () => {
  const { log, reads } = counted(store.log);
  const check = createTokenCheck(log, adminToken);
  for (const header of [undefined, "", "Bearer", "Bearer ", "Basic YTpi", "a b c"])
    assert.is(await check(header), "missing");
  const { text } = generateToken("api");
  const mistyped = text.slice(0, -1) + (text.endsWith("0") ? "1" : "0");
  for (const wrong of [mistyped, "tl_api_", "x"]) assert.is(await bearer(check, wrong), "unknown");
  assert.is(reads(), 0);
});

check("returns the principal of an issued token", async () => {
  const check = createTokenCheck(store.log, adminToken);
  const drawn = generateToken("api");
  assert.is(await bearer(check, drawn.text), "unknown");
  const partner = { kind: "api", role: "media_partner", channels: ["tiktok"], label: "partner" } as const;
  const issued = generateToken("api");
  await issueToken(store.log, issued, 7, partner, operatorCause);
  assert.equal(await bearer(check, issued.text), {
    kind: "token",
    tokenId: issued.tokenId,
    tokenKind: "api",
    role: "media_partner",
    appId: 7,
    channels: ["tiktok"],
  });
});

check("refuses another secret with the same token id", async () => {
  const one = generateToken("sdk");
  const other = generateToken("sdk");
  const alike = { ...other, tokenId: one.tokenId };
  await issueToken(store.log, alike, 1, { ...owner, kind: "sdk", role: null }, operatorCause);
  assert.is(await bearer(createTokenCheck(store.log, null), one.text), "unknown");
});

check("reads of all channels' certifications only what is new, and notices a replaced key", async () => {
  const from: (bigint | undefined)[] = [];
  const read: EventLog["read"] = (stream, revision) => {
    from.push(revision);
    return store.log.read(stream, revision);
  };
  let now = 0;
  const check = createTokenCheck({ ...store.log, read }, null, () => now);
  const certified = async () => {
    const { text, tokenId, secretHashRest } = generateToken("channel");
    const certificate = { channel: "tiktok", responseFormat: "tiktok", tokenId, secretHashRest };
    const command = { type: "CertifyChannel", certificate, isChannelKnown: true, visibleChannels: [] } as const;
    await handleCommand(store.log, certifications, channelCertificationsStream, tokenId, command, operatorCause);
    return { text, principal: { kind: "channel", tokenId, channel: "tiktok", responseFormat: "tiktok" } };
  };
  const first = await certified();
  assert.equal(await bearer(check, first.text), first.principal);
  assert.is(await bearer(check, generateToken("channel").text), "unknown");
  const second = await certified();
  now += 1_500;
  assert.equal([await bearer(check, first.text), await bearer(check, second.text)], ["unknown", second.principal]);
  assert.equal(from, [0n, 1n, 1n, 3n]);
  const callers = await Promise.all(Array.from({ length: 9 }, () => bearer(check, generateToken("channel").text)));
  assert.equal([callers, from.slice(4)], [Array(9).fill("unknown"), [3n, 3n]]);
});

check("caches results for 1.5 s, unknown tokens too, and reads once for concurrent calls", async () => {
  const { log, reads } = counted(store.log);
  let now = 1_000_000;
  const check = createTokenCheck(log, null, () => now);
  const drawn = generateToken("api");
  await Promise.all([bearer(check, drawn.text), bearer(check, drawn.text)]);
  assert.is(reads(), 1);
  await issueToken(store.log, drawn, 1, owner, operatorCause);
  const before = reads();
  now += 1_499;
  assert.is(await bearer(check, drawn.text), "unknown");
  assert.is(reads(), before);
  now += 1;
  assert.is(((await bearer(check, drawn.text)) as { kind?: string }).kind, "token");

  await store.log.append(tokenStream(drawn.tokenId), 0n, [
    {
      id: "0d7e1a6e-3f0c-4a51-9a54-0b0a33f1d001",
      type: "TokenRevoked",
      data: { tokenId: drawn.tokenId, appId: 1 },
      metadata: { ...operatorCause, correlationId: "", causationId: "", schemaVersion: 1 },
    },
  ]);
  now += 1_500;
  assert.is(await bearer(check, drawn.text), "unknown");
});

check("rejects when it cannot read, and reads again the next time", async () => {
  const alone = await startTestLog();
  let now = 1_000_000;
  const { log, reads } = counted(alone.log);
  const check = createTokenCheck(log, adminToken, () => now);
  const drawn = generateToken("api");
  await issueToken(alone.log, drawn, 1, owner, operatorCause);
  const known = await bearer(check, drawn.text);
  await alone.stopStore();
  assert.equal(await bearer(check, drawn.text), known);
  now += 1_500;
  for (const read of [2, 3]) {
    const failure = await bearer(check, drawn.text).catch((thrown: Error) => thrown.name);
    assert.equal([failure, reads()], ["EventLogUnavailable", read]);
  }
  assert.equal(await bearer(check, adminToken), { kind: "operator" });
  await alone.close();
});

const admission = suite("admission of a call");

/** A log with one issued token, without a store; counts its reads. */
async function logOf(issued: ReturnType<typeof generateToken>) {
  const world = { reads: 0, isRevoked: false, isAvailable: true };
  const { tokenId, secretHashRest } = issued;
  const log = {
    async *read(stream: string) {
      world.reads += 1;
      if (!world.isAvailable) throw new EventLogUnavailable("no");
      if (stream !== tokenStream(tokenId) || world.isRevoked) return;
      yield { type: "TokenIssued", data: { tokenId, secretHashRest, appId: 1, ...owner }, revision: 0n } as never;
    },
  } as unknown as EventLog;
  return { world, log };
}

admission("is checked before any read, unless the token was valid when it was last read", async () => {
  const token = generateToken("api");
  const { world, log } = await logOf(token);
  let now = 1_000_000;
  const tokenCheck = createTokenCheck(log, adminToken, () => now);
  let checks = 0;
  let isAdmitted = false;
  const outcome = async (header: string | undefined) => {
    checks = 0;
    const caller = await tokenCheck(header, () => {
      checks += 1;
      return isAdmitted;
    }).catch(({ name }: Error) => name);
    return [typeof caller === "object" ? caller.kind : caller, checks, world.reads];
  };
  const valid = `Bearer ${token.text}`;
  const unknown = `Bearer ${generateToken("api").text}`;
  for (const header of [valid, unknown, undefined, "Bearer x", `Bearer ${"x".repeat(2_000)}`]) {
    assert.equal(await outcome(header), ["limited", 1, 0]);
  }
  assert.equal(await outcome(`Bearer ${adminToken}`), ["operator", 0, 0]);
  isAdmitted = true;
  assert.equal(await outcome(unknown), ["unknown", 1, 1]);
  assert.equal(await outcome(valid), ["token", 1, 2]);
  isAdmitted = false;
  assert.equal(await outcome(valid), ["token", 0, 2]);
  now += 1_500;
  assert.equal(await outcome(valid), ["token", 0, 3]);
  now += 1_500;
  world.isAvailable = false;
  assert.equal(await outcome(valid), ["EventLogUnavailable", 0, 4]);
  world.isAvailable = true;
  assert.equal(await outcome(valid), ["token", 0, 5]);
  now += 1_500;
  world.isRevoked = true;
  assert.equal(await outcome(valid), ["unknown", 0, 6]);
  assert.equal(await outcome(valid), ["limited", 1, 6]);
});

admission("of a valid token is not lost to any number of guesses", async () => {
  const token = generateToken("api");
  const { world, log } = await logOf(token);
  const tokenCheck = createTokenCheck(log, null, () => 0);
  await bearer(tokenCheck, token.text);
  for (let guess = 0; guess < 20_001; guess += 1) await bearer(tokenCheck, generateToken("api").text);
  world.reads = 0;
  assert.is(((await bearer(tokenCheck, token.text)) as { kind?: string }).kind, "token");
  assert.is(world.reads, 0);
});

check.run();
admission.run();

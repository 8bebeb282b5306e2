import { EventEmitter } from "node:events";
import { connect, type Socket } from "node:net";
import type { Request, Response } from "express";
import * as assert from "uvu/assert";
import { createServerClickBudget } from "../../../commands/link-serving/server-click-body.ts";
import { userAgents } from "../../examples/tracking-links.ts";
import { type LinkApplication, linkSuite } from "../../support/link-application.ts";
import { type Call, statusesOf } from "../../support/raw-client.ts";
import { errorsOf, refusalOf } from "../../support/short-faults.ts";
import { create, open } from "../../support/visitor.ts";

const kibibyte = 1_024;
const form = { "Content-Type": "application/x-www-form-urlencoded" };
const json = { "Content-Type": "application/json" };

const bodies = linkSuite("a server's click with a body");

async function report(application: LinkApplication, query: string, call: Call, method = "POST", token = "link") {
  const { link } = await create(application, { campaignParams: { term: "boots" } }, token);
  const address = `${link.serverToServerClick}${query}`;
  return { address, ...(await open(application, address, "partner-server/1.0", { ...call, method })) };
}

const at = new Date(Date.now() - 3_600_000);
const clickParameters = { ip: "203.0.113.9", user_agent: userAgents.android, campaign: "봄 & more", sub_id: "7" };

bodies("is recorded like the same parameters in the URL", async ({ application }) => {
  const parameters = { ...clickParameters, click_id: "as-ever", click_timestamp: String(at.getTime()) };
  const text = new URLSearchParams(parameters).toString();
  const reports: readonly (readonly [string, Call, string?])[] = [
    [`&${text}`, {}],
    ["", { headers: form, body: text }],
    ["", { headers: { "Content-Type": "Application/X-WWW-Form-urlencoded ; charset=UTF-8" }, body: text }],
    ["", { headers: form, body: text, chunksOf: 7 }],
    ["", { headers: json, body: parameters }],
    ["", { body: { ...parameters, click_timestamp: at.getTime(), sub_id: 7, gaid: null } }],
    ["", { headers: json, body: parameters, chunksOf: 7 }],
    ["", { headers: json, body: parameters }, "GET"],
    ["&click_id=as-ever&sub_id=", { headers: form, body: text }],
  ];
  const seen: unknown[][] = [];
  for (const [query, call, method] of reports) {
    const { status, json } = await report(application, query, call, method);
    const recorded = await application.lastTouchpoint();
    const { touchpointId, source, os, person } = recorded.data;
    seen.push([status, json, touchpointId, recorded.data.at, source?.campaignParams, os, person]);
  }
  const [[, answer] = []] = seen;
  const { clickId } = answer as { readonly clickId: string };
  assert.match(clickId, /^[0-9a-f-]{14}8/);
  const campaignParams = { term: "boots", campaign: "봄 & more", subId: "7" };
  const person = { ip: "203.0.113.9", userAgent: userAgents.android, partnerClickId: "as-ever" };
  const expected = [200, { clickId }, clickId, at.toISOString(), campaignParams, "Android", person];
  assert.equal(seen, Array(reports.length).fill(expected));
});

bodies("fills in parameters that the URL lacks", async ({ application }) => {
  const body = {
    campaign: "of the body",
    sub_id: "of the body",
    term: "of the body",
    click_id: "of-the-body",
    ad_type: "view",
  };
  for (const call of [
    { headers: json, body },
    { headers: form, body: new URLSearchParams(body).toString() },
  ]) {
    const { status } = await report(application, "&campaign=of+the+URL&sub_id=&click_id=of-the-URL", call);
    const recorded = await application.lastTouchpoint();
    assert.equal(
      [status, recorded.type, recorded.data.source.campaignParams, recorded.data.person.partnerClickId],
      [200, "ClickRecorded", { campaign: "of the URL", subId: "of the body", term: "boots" }, "of-the-URL"],
    );
  }
});

bodies("may be empty", async ({ application }) => {
  for (const call of [
    { body: "" },
    { headers: { "Content-Type": "text/plain" }, body: "" },
    { body: {} },
    { headers: form, body: "&" },
  ]) {
    assert.is((await report(application, "", call)).status, 200);
  }
});

bodies("uses the last of a repeated parameter", async ({ application }) => {
  await report(application, "", { headers: form, body: "sub_id=first&sub_id=second" });
  const recorded = await application.lastTouchpoint();
  assert.is(recorded.data.source.campaignParams.subId, "second");
});

const unsupported = "415 UNSUPPORTED_MEDIA_TYPE";
const invalid = "400 VALIDATION_FAILED body";
const multipart = { "Content-Type": "multipart/form-data; boundary=x" };

for (const [name, call, refusal] of [
  ["text", { headers: { "Content-Type": "text/plain" }, body: "click_id=1" }, unsupported],
  ["a multipart form", { headers: multipart, body: "--x--" }, unsupported],
  ["gzip", { headers: { ...json, "Content-Encoding": "gzip" }, body: "{}" }, unsupported],
  ["broken JSON", { headers: json, body: "{" }, "400 INVALID_JSON"],
  ["a form that claims to be JSON", { headers: json, body: "click_id=1" }, "400 INVALID_JSON"],
  ["a list", { body: [] }, invalid],
  ["an unknown field", { body: { clickid: "1" } }, `${invalid}.clickid`],
  ["an unknown field of a form", { headers: form, body: "clickid=1" }, `${invalid}.clickid`],
  ["a prototype", { headers: form, body: "__proto__=1" }, `${invalid}.__proto__`],
  ["a list of values", { body: { sub_id: ["1"] } }, `${invalid}.sub_id`],
  ["an inexact number", { body: '{"sub_id":9007199254740992}' }, `${invalid}.sub_id`],
  ["a fraction", { body: { sub_id: 1.5 } }, `${invalid}.sub_id`],
  ["U+0000", { body: { sub_id: "\0" } }, `${invalid}.sub_id`],
  ["U+0000 in a form", { headers: form, body: "sub_id=%00" }, `${invalid}.sub_id`],
  ["a bad escape", { headers: form, body: "sub_id=%zz" }, `${invalid}.sub_id`],
  ["invalid UTF-8", { headers: form, body: Buffer.from("sub_id=\xff", "latin1") }, invalid],
  ["a long click id", { body: { click_id: "a".repeat(257) } }, `${invalid}.click_id`],
  ["an invalid time", { body: { click_timestamp: "x" } }, `${invalid}.click_timestamp`],
  ["an old time", { headers: form, body: "click_timestamp=0" }, `${invalid}.click_timestamp`],
] as const satisfies readonly (readonly [string, Call, string])[]) {
  bodies(`of ${name} is rejected and not recorded`, async ({ application }) => {
    const before = (await application.touchpoints()).length;
    assert.is(refusalOf(await report(application, "", call)), refusal);
    assert.is((await application.touchpoints()).length, before);
  });
}

bodies("is limited to 64 KiB", async ({ application }) => {
  const start = "sub_id=1";
  const ofBytes = (bytes: number) => start + "&".repeat(bytes - start.length);
  const sizes = [64 * kibibyte - 1, 64 * kibibyte, 64 * kibibyte + 1];
  for (const more of [{}, { chunksOf: 16 * kibibyte }]) {
    const statuses = [];
    for (const size of sizes)
      statuses.push((await report(application, "", { headers: form, body: ofBytes(size), ...more })).status);
    assert.equal(statuses, [200, 200, 413]);
  }
});

bodies("is searched for further faults if it has up to 998 fields", async ({ application }) => {
  const counts = [];
  for (const fields of [997, 998, 999]) {
    const body = Object.fromEntries(Array.from({ length: fields }, (_, index) => [`unknown${index}`, ""]));
    counts.push(errorsOf(await report(application, "", { body })).length);
  }
  assert.equal(counts, [50, 50, 1]);
});

bodies("is refused while 1 MiB of its address is in memory, however slowly it arrives", async ({ application }) => {
  const { link } = await create(application, {});
  const { hostname, port, pathname, search } = new URL(link.serverToServerClick);
  const head = `POST ${pathname}${search} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nContent-Type: ${form["Content-Type"]}\r\n`;
  // Each lacks its last byte: 16 bytes are left.
  const slowBody = `${head}Content-Length: ${64 * kibibyte}\r\n\r\n${"&".repeat(64 * kibibyte - 1)}`;
  const sockets = new Set<Socket>();
  const sendSlowly = (): void => {
    const socket = connect(Number(port), hostname);
    sockets.add(socket);
    socket.write(slowBody);
    // Refused because of a call below that had the last bytes just then.
    socket.once("data", () => {
      sockets.delete(socket);
      sendSlowly();
    });
  };
  try {
    for (let count = 0; count < 16; count += 1) sendSlowly();
    const ofBytes = (size: number, token?: string) =>
      report(application, "", { headers: form, body: "sub_id=".padEnd(size, "1") }, "POST", token);
    for (let probes = 0; (await ofBytes(17)).status === 200; probes += 1) assert.ok(probes < 10_000, "never full");
    const answers = [await ofBytes(15), await ofBytes(16), await ofBytes(17), await ofBytes(17, "other_owner")];
    assert.equal(answers.map(refusalOf), ["200", "200", "503 OVERLOADED", "503 OVERLOADED"]);
  } finally {
    for (const socket of sockets) socket.destroy();
  }
});

bodies("is held for its app and its address: 4 MiB of one, 1 MiB of the other", async () => {
  const budget = createServerClickBudget();
  const ofNetwork = (number: number) => ({ ip: `192.0.2.${number}`, socket: {} }) as unknown as Request;
  const hold = (appId: number, network: number, bytes: number) =>
    budget(appId, ofNetwork(network), new EventEmitter() as unknown as Response)(bytes);
  const mebibyte = 1024 * kibibyte;
  assert.equal(
    [hold(1, 1, mebibyte - 1), hold(2, 1, 2), hold(2, 1, 1), hold(1, 1, 1)],
    [true, false, true, false],
    "of an address",
  );
  assert.equal(
    [...[2, 3, 4].map((network) => hold(1, network, mebibyte)), hold(1, 5, 2), hold(1, 5, 1), hold(1, 5, 1)],
    [true, true, true, false, true, false],
    "of an app",
  );
  assert.ok(hold(3, 6, mebibyte));
  const ofAddress = (ip: string) => ({ ip, socket: {} }) as unknown as Request;
  const ofIpv6 = ["2001:db8::1", "2001:db8::2", "2001:db8:0:1::1"].map((ip) =>
    budget(4, ofAddress(ip), new EventEmitter() as unknown as Response)(mebibyte),
  );
  assert.equal(ofIpv6, [true, false, true], "of a /64");
});

bodies("cannot name the link", async ({ application }) => {
  const { link } = await create(application, {});
  const { origin, pathname, search } = new URL(link.serverToServerClick);
  const call = { method: "POST", headers: form, body: search.slice(1) };
  const answers = [
    await open(application, `${origin}${pathname}`, "x", call),
    await open(application, link.serverToServerClick, "x", call),
  ];
  assert.equal(statusesOf(answers), [404, 200]);
});

bodies.run();

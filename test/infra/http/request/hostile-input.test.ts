import { connect } from "node:net";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ok, route } from "../../../../infra/http/routing/route.ts";
import type { Answer } from "../../../support/raw-client.ts";
import { outcomeOf, serveRoutes } from "../../../support/served-routes.ts";
import { errorsOf, type ShortFault } from "../../../support/short-faults.ts";
import { testRouteDocs } from "../../../support/test-route-docs.ts";

const open = route({
  docs: testRouteDocs,
  method: "post",
  path: "/test/open/:id",
  operation: "manage_tracking_links",
  body: {
    type: "object",
    properties: {
      list: { type: "array", uniqueItems: true },
      number: { type: "number" },
      count: { type: "integer", maximum: 2 ** 53 - 1 },
    },
  },
  query: { type: "object", properties: { keyword: { type: "string" }, size: { type: "integer" } } },
  handle: async ({ body, query, params }) => ok({ body, query, params }),
});

const { call, port, close } = await serveRoutes([open]);
const hostile = suite("hostile input");
hostile.after(close);

const send = (body: unknown, path = "/test/open/1"): Promise<Answer> => call("POST", path, { token: "owner", body });
const faultOf = (answer: Answer) => errorsOf(answer)[0];

hostile("that is no UTF-8 is no JSON", async () => {
  for (const bytes of [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80]]) {
    const body = Buffer.concat([Buffer.from('{"a":"'), Buffer.from(bytes), Buffer.from('"}')]);
    assert.is(outcomeOf(await send(body)), "400 INVALID_JSON");
  }
});

hostile("that is no JSON is refused as such", async () => {
  for (const body of ["", " ", "{", "nul", "NaN", "{'a':1}", '{"a":1,}', '{"a":"\u0001"}', "[1]x", "\ufeff"]) {
    assert.is(outcomeOf(await send(body)), "400 INVALID_JSON", JSON.stringify(body));
  }
  assert.is(outcomeOf(await send('\ufeff{"number":1}')), "200");
  for (const body of ["[]", "null", "1", '"text"'])
    assert.is(outcomeOf(await send(body)), "400 VALIDATION_FAILED", body);
});

hostile("nested more than 64 levels deep is no JSON that anybody reads", async () => {
  for (const [levels, outcome] of [
    [63, "200"],
    [64, "200"],
    [65, "400 INVALID_JSON"],
  ] as const) {
    assert.is(outcomeOf(await send(`${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`)), outcome, `${levels}`);
  }
  for (const depth of [70, 5_000, 49_000]) {
    assert.is(outcomeOf(await send(`{"list":${"[".repeat(depth)}${"]".repeat(depth)}}`)), "400 INVALID_JSON");
    assert.is(
      outcomeOf(await send(`${'{"a":'.repeat(depth / 5)}1${"}".repeat(depth / 5)}`)),
      depth > 320 ? "400 INVALID_JSON" : "200",
    );
  }
});

hostile("with U+0000 or a lone surrogate, escaped in texts or keys, is refused with its place", async () => {
  const refused = async (body: string, loc: ShortFault): Promise<void> => {
    const answer = await send(body);
    assert.is(outcomeOf(answer), "400 VALIDATION_FAILED", body);
    assert.equal(faultOf(answer), [...loc, "illegal_text"]);
  };
  await refused('{"a":{"b":["fine","\\u0000"]}}', ["body", "a", "b", 1]);
  await refused('{"a":"\\ud800"}', ["body", "a"]);
  await refused('{"a":"\\udc00\\ud800"}', ["body", "a"]);
  await refused('{"a":{"\\u0000":1}}', ["body", "a"]);
  await refused('{"\\ud83d":1}', ["body"]);
  assert.is(outcomeOf(await send('{"a":"\\ud83d\\ude00 \\u0001"}')), "200");
});

hostile("that names __proto__ is refused, however it is spelled, and changes nothing", async () => {
  for (const key of ["__proto__", "\\u005f_proto__"]) {
    const answer = await send(`{"a":[{"${key}":{"polluted":true}}]}`);
    assert.equal(faultOf(answer), ["body", "a", 0, "__proto__", "unknown_field"]);
  }
  assert.is(outcomeOf(await send('{"a":"__proto__","constructor":{"prototype":{"polluted":1}}}')), "200");
  assert.is(({} as { polluted?: unknown }).polluted, undefined);
});

hostile("with numbers beyond a double is refused; numbers that only look alike are not text", async () => {
  assert.equal(faultOf(await send('{"number":1e999}')), ["body", "number", "out_of_range"]);
  assert.is(outcomeOf(await send('{"a":{"b":-1e999}}')), "400 VALIDATION_FAILED");
  assert.is(outcomeOf(await send('{"count":9007199254740993}')), "400 VALIDATION_FAILED");
  assert.is(outcomeOf(await send('{"count":"1"}')), "400 VALIDATION_FAILED");
  assert.is(outcomeOf(await send('{"count":1.5}')), "400 VALIDATION_FAILED");
  assert.is(outcomeOf(await send('{"number":1e308}')), "200");
});

hostile("in the query is refused at its parameter", async () => {
  for (const text of ["%00", "%ff", "%", "%ed%a0%80", "a%"]) {
    const answer = await send({}, `/test/open/1?keyword=${text}`);
    assert.equal(faultOf(answer), ["query", "keyword", "illegal_text"]);
  }
  for (const size of ["0x10", "1e3", "", "%201", "1.5", "Infinity", "1&size=2"]) {
    assert.is(outcomeOf(await send({}, `/test/open/1?size=${size}`)), "400 VALIDATION_FAILED", size);
  }
  assert.is(outcomeOf(await send({}, "/test/open/1?__proto__=1&constructor=2&size=3&&=&x")), "200");
});

hostile("in the path is refused after the token was checked", async () => {
  for (const id of ["%00", "%ff", "%", "%ed%a0%80"]) {
    assert.is(outcomeOf(await call("POST", `/test/open/${id}`, { body: {} })), "401 UNAUTHORIZED", id);
    assert.is(outcomeOf(await send({}, `/test/open/${id}`)), "400 VALIDATION_FAILED", id);
  }
  assert.equal((await send({}, "/test/open/%2f..%2f")).json, { body: {}, query: {}, params: { id: "/../" } });
});

hostile("with many faults gets a response with some of them", async () => {
  const list = JSON.stringify(Array.from({ length: 49_000 }, () => 1));
  assert.is(outcomeOf(await send(`{"list":${list}}`)), "400 VALIDATION_FAILED");
});

hostile("that is not HTTP gets a response with a request id too", async () => {
  const socket = connect(port, "127.0.0.1");
  socket.write("GET /livez HTTP/9.9\r\n\r\n");
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk as Buffer);
  const answer = Buffer.concat(chunks).toString();
  assert.match(answer, /^HTTP\/1\.1 400 Bad Request\r\nX-Request-Id: [0-9a-f-]{36}\r\n/);
  assert.match(answer, '"code":"BAD_REQUEST"');
});

hostile.run();

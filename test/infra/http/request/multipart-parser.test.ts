import { gzipSync } from "node:zlib";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ok, type RouteRequest, route } from "../../../../infra/http/routing/route.ts";
import {
  boundary,
  type Form,
  fieldPart,
  filePart,
  form,
  formOf,
  namedPart,
  type Part,
} from "../../../support/multipart-form.ts";
import type { Answer, Call } from "../../../support/raw-client.ts";
import { outcomeOf, serveRoutes } from "../../../support/served-routes.ts";
import { errorsOf, problemOf } from "../../../support/short-faults.ts";
import { testRouteDocs } from "../../../support/test-route-docs.ts";

const limit = 100_000;

/** Answers what its handler got. */
async function echo({ body }: RouteRequest<{ readonly fileName: string | null; readonly bytes: Buffer }, undefined>) {
  return ok({ fileName: body.fileName, size: body.bytes.length, start: body.bytes.toString("latin1", 0, 20) });
}
const common = { method: "post", operation: "upload_data", file: { limit }, handle: echo } as const;
const routes = [
  route({ docs: testRouteDocs, ...common, path: "/test/apps/:app_name/files" }),
  route({ docs: testRouteDocs, ...common, path: "/test/legacy", serviceApiKey: true }),
];
const path = "/test/apps/shop/files";

const { call, close } = await serveRoutes(routes);
const token = "owner";
const taking = suite("a route that takes a file");

const post = (sent: Call, to = path): Promise<Answer> => call("POST", to, sent);
const send = (sent: Form, change: Call = {}): Promise<Answer> =>
  post({ token, ...change, body: sent.body, headers: { ...sent.headers, ...change.headers } });
const raw = (body: string | Buffer): Form => ({ ...form([]), body: Buffer.from(body) });

taking("is 401, then 403, 404, 413, 415 and 400, each hiding what comes after it", async () => {
  const big = { body: Buffer.alloc(limit + 1), headers: { "Content-Encoding": "br" } };
  assert.is(outcomeOf(await post(big)), "401 UNAUTHORIZED");
  assert.is(outcomeOf(await post({ ...big, token: "nonsense" })), "401 UNAUTHORIZED");
  assert.is(outcomeOf(await post({ ...big, token: "agency" })), "403 FORBIDDEN");
  assert.is(outcomeOf(await post({ ...big, token: "operator" })), "403 FORBIDDEN");
  assert.is(outcomeOf(await post({ ...big, token: "other_owner" })), "404 APP_NOT_FOUND");
  assert.is(outcomeOf(await post({ ...big, token })), "413 PAYLOAD_TOO_LARGE");
  assert.is(outcomeOf(await post({ ...big, token, body: "small" })), "415 UNSUPPORTED_MEDIA_TYPE");
  assert.is(outcomeOf(await post({ token, body: "small" })), "400 NOT_MULTIPART");
  assert.is(outcomeOf(await send(raw("small"))), "400 INVALID_MULTIPART");
  assert.is(outcomeOf(await send(form([filePart("a")]))), "200");
});

for (const [size, status] of [
  [limit - 1, 200],
  [limit, 200],
  [limit + 1, 413],
] as const) {
  taking(`with a body of ${size - limit} bytes beyond its limit is ${status}, with a length and without`, async () => {
    const sent = formOf(size);
    assert.is(sent.body.length, size);
    assert.is((await send(sent)).status, status);
    assert.is((await send(sent, { chunksOf: 8_192 })).status, status);
  });
}

taking("gives the handler the bytes and the name of the file, whatever the part is called", async () => {
  const content = "\u0000\r\n--\r\nx,\ud55c\r\n\r\n";
  for (const field of ["file", "upload[]", "", "\ud30c\uc77c"]) {
    const { json } = await send(form([filePart(content, "spend \ud55c.csv", field)]));
    assert.equal(json, {
      fileName: "spend \ud55c.csv",
      size: Buffer.byteLength(content),
      start: Buffer.from(content).toString("latin1", 0, 20),
    });
  }
});

taking("takes an empty file, and one that is gzip as it is", async () => {
  assert.equal((await send(form([filePart("")]))).json, { fileName: "spend.csv", size: 0, start: "" });
  const gzip = gzipSync("date,channel\r\n");
  const part = filePart(gzip, "spend.csv.gz");
  const headers = [...part.headers, "Content-Encoding: gzip"];
  assert.equal((await send(form([{ ...part, headers }]))).json, {
    fileName: "spend.csv.gz",
    size: gzip.length,
    start: gzip.toString("latin1", 0, 20),
  });
});

taking("skips the preamble and the epilogue", async () => {
  const { body } = form([filePart("a")]);
  const sent = raw(Buffer.concat([Buffer.from("preamble\r\n"), body, Buffer.from("epilogue")]));
  assert.equal((await send(sent)).json, { fileName: "spend.csv", size: 1, start: "a" });
});

const contentTypes: readonly (readonly [string, boolean])[] = [
  [`multipart/form-data; boundary=${boundary}`, true],
  [`Multipart/Form-Data;Boundary="${boundary}";charset=UTF-8`, true],
  [`multipart/form-data; charset=utf-8; boundary=${boundary}`, true],
  ["multipart/form-data", false],
  ["multipart/form-data; boundary=", false],
  ['multipart/form-data; boundary=""', false],
  ['multipart/form-data; boundary="a\\"b"', false],
  [`multipart/mixed; boundary=${boundary}`, false],
  [`multipart/form-database; boundary=${boundary}`, false],
  ["application/x-www-form-urlencoded", false],
  ["application/json", false],
  ["text/csv", false],
];
for (const [type, isTaken] of contentTypes) {
  taking(`${isTaken ? "takes" : "refuses"} the content type ${type}`, async () => {
    const { body } = form([filePart("a")]);
    const answer = await post({ token, body, headers: { "Content-Type": type } });
    assert.is(outcomeOf(answer), isTaken ? "200" : "400 NOT_MULTIPART");
  });
}

taking("takes boundaries of up to 70 characters", async () => {
  for (const [length, expected] of [
    [1, "200"],
    [69, "200"],
    [70, "200"],
    [71, "400 NOT_MULTIPART"],
  ] as const) {
    assert.is(outcomeOf(await send(form([filePart("a")], "b".repeat(length)))), expected);
  }
});

taking("refuses a form without a file", async () => {
  const answer = await send(form([fieldPart("file", "not a file")]));
  assert.equal(problemOf(answer), { status: 400, code: "VALIDATION_FAILED", errors: [["body", "file", "missing"]] });
});

const { body: whole } = form([filePart("a,b")]);
const nameless: Part = { headers: ["Content-Type: text/csv"], content: Buffer.from("a") };
const malformed: readonly (readonly [string, string | Buffer])[] = [
  ["nothing", ""],
  ["no delimiter", "a,b"],
  ["another boundary", form([filePart("a")], "other").body],
  ["no end", whole.subarray(0, whole.length - 4)],
  ["half of its bytes", whole.subarray(0, whole.length / 2)],
  ["line feeds alone", whole.toString().replaceAll("\r\n", "\n")],
  ["a part without a disposition beside the file", form([filePart("a"), nameless]).body],
  ["a part with a broken header beside the file", form([{ ...nameless, headers: ["no colon"] }, filePart("a")]).body],
  ["a part without headers or content", `--${boundary}\r\n--${boundary}--\r\n`],
  ["a part that is no form-data", form([{ ...nameless, headers: ["Content-Disposition: attachment"] }]).body],
  ["headers without end", `--${boundary}\r\n${"X".repeat(50_000)}\r\n--${boundary}--\r\n`],
  ["a line break in the file's name", form([namedPart("*=utf-8''a%0Ab.csv")]).body],
  ["a second form behind the first", Buffer.concat([whole, whole])],
];
for (const [what, body] of malformed) {
  taking(`refuses a body with ${what}`, async () => {
    assert.is(outcomeOf(await send(raw(body))), "400 INVALID_MULTIPART");
  });
}

const tooLong = ["body", "file", "filename", "too_long"];
const illegal = ["body", "file", "filename", "illegal_text"];
const names: readonly (readonly [string, string, string | null | object])[] = [
  ["255 characters", `="${"n".repeat(255)}"`, "n".repeat(255)],
  ["256 characters", `="${"n".repeat(256)}"`, "n".repeat(256)],
  ["257 characters", `="${"n".repeat(257)}"`, tooLong],
  ["256 characters beyond the basic plane", `*=utf-8''${"%F0%9F%93%88".repeat(256)}`, "\u{1f4c8}".repeat(256)],
  ["257 of them", `*=utf-8''${"%F0%9F%93%88".repeat(257)}`, tooLong],
  ["20,000 characters", `="${"n".repeat(20_000)}"`, tooLong],
  ["a name without quotes", "=spend.csv", "spend.csv"],
  ["a name with directories", '="C:\\\\fakepath\\\\spend.csv"', "spend.csv"],
  ["a way up", '="../../etc/spend.csv"', "spend.csv"],
  ["nothing but a way up", '=".."', null],
  ["an empty name", '=""', null],
  ["U+0000", "*=utf-8''a%00b", illegal],
  ["half a surrogate pair", "*=utf-16le''a%00%00%D8", illegal],
  ["bytes that are no UTF-8", "*=utf-8''a%FFb", illegal],
];
for (const [what, spelling, expected] of names) {
  const isName = typeof expected === "string" || expected === null;
  taking(`${isName ? "takes" : "refuses"} a file's name of ${what}`, async () => {
    const answer = await send(form([namedPart(spelling)]));
    if (isName) assert.equal(answer.json, { fileName: expected, size: 1, start: "a" });
    else assert.equal([outcomeOf(answer), errorsOf(answer)], ["400 VALIDATION_FAILED", [expected]]);
  });
}

taking("takes a part of octets for a file without a name", async () => {
  const headers = ['Content-Disposition: form-data; name="file"', "Content-Type: application/octet-stream"];
  const answer = await send(form([{ headers, content: Buffer.from("a") }]));
  assert.equal(answer.json, { fileName: null, size: 1, start: "a" });
});

taking("refuses several files", async () => {
  for (const parts of [
    [filePart("a"), filePart("a")],
    [filePart("a"), fieldPart("x", "y"), filePart("b", "other.csv", "other")],
  ]) {
    const answer = await send(form(parts));
    assert.is(outcomeOf(answer), "400 VALIDATION_FAILED");
    assert.equal(errorsOf(answer), [["body", "file", "too_long"]]);
  }
});

const fields = (count: number): Part[] => Array.from({ length: count }, (_, index) => fieldPart(`field ${index}`, "v"));
for (const count of [15, 16, 17]) {
  taking(`${count > 16 ? "refuses" : "passes over"} ${count} further fields of the form`, async () => {
    const answer = await send(form([...fields(count), filePart("a")]));
    if (count <= 16) assert.equal(answer.json, { fileName: "spend.csv", size: 1, start: "a" });
    else assert.equal(errorsOf(answer), [["body", "too_long"]]);
  });
}
for (const bytes of [4_095, 4_096, 4_097]) {
  taking(`${bytes > 4_096 ? "refuses" : "passes over"} a field of ${bytes} bytes`, async () => {
    const answer = await send(form([filePart("a"), fieldPart("note", "v".repeat(bytes))]));
    const fault = ["body", "note", "too_long"];
    if (bytes <= 4_096) assert.equal(answer.json, { fileName: "spend.csv", size: 1, start: "a" });
    else assert.equal([outcomeOf(answer), errorsOf(answer)], ["400 VALIDATION_FAILED", [fault]]);
  });
}

taking("refuses the same text in further fields", async () => {
  for (const [part, loc] of [
    [fieldPart("note", "a\u0000b"), ["body", "note"]],
    [fieldPart("a\u0000b", "note"), ["body"]],
    [{ ...fieldPart("note", ""), content: Buffer.from([0xff]) }, ["body", "note"]],
  ] as const) {
    const answer = await send(form([filePart("a"), part]));
    assert.equal(errorsOf(answer), [[...loc, "illegal_text"]]);
  }
});

taking.run();

const scheme = suite("SERVICE-API-KEY");
scheme.after(close);

scheme("is accepted besides Bearer by routes that declare it", async () => {
  const { body, headers } = form([filePart("a")]);
  const as = async (authorization: string, to: string): Promise<string> =>
    outcomeOf(await post({ body, headers: { ...headers, Authorization: authorization } }, to));
  assert.is(await as(`SERVICE-API-KEY ${token}`, "/test/legacy"), "200");
  assert.is(await as(`service-api-key ${token}`, "/test/legacy"), "200");
  assert.is(await as(`Bearer ${token}`, "/test/legacy"), "200");
  assert.is(await as(`SERVICE-API-KEY ${token}x`, "/test/legacy"), "401 UNAUTHORIZED");
  assert.is(await as("SERVICE-API-KEY", "/test/legacy"), "401 UNAUTHORIZED");
  assert.is(await as(`SERVICE-API-KEYS ${token}`, "/test/legacy"), "401 UNAUTHORIZED");
  assert.is(await as(`SERVICE-API-KEY ${token}`, path), "401 UNAUTHORIZED");
});

scheme.run();

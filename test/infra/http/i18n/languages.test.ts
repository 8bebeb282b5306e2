import { suite } from "uvu";
import * as assert from "uvu/assert";
import { fault } from "../../../../domain/fault.ts";
import { problemBody } from "../../../../infra/http/i18n/messages.ts";
import { validationFailed } from "../../../../infra/http/response/problem.ts";
import { ok, type Reply, reply, route } from "../../../../infra/http/routing/route.ts";
import { serveRoutes } from "../../../support/served-routes.ts";
import { testRouteDocs } from "../../../support/test-route-docs.ts";

const body = {
  type: "object",
  required: ["name"],
  additionalProperties: false,
  properties: { name: { type: "string", maxLength: 3 }, size: { type: ["string", "null"] } },
} as const;
const get = (path: string, handle: () => Promise<Reply>) =>
  route({ docs: testRouteDocs, method: "get", path, operation: "operate", handle });
const routes = [
  route({
    docs: testRouteDocs,
    method: "post",
    path: "/named",
    operation: "operate",
    body,
    handle: async ({ language }) => ok({ language }),
  }),
  get("/nothing", async () => reply(204, null)),
  get("/bytes", async () => ({ kind: "written", text: Buffer.from([1]), mediaType: "image/png" })),
  get("/pieces", async () => ({ kind: "streamed", pieces: pieces(), mediaType: "text/plain" })),
  get("/broken", async () => {
    throw new Error("broken");
  }),
];
async function* pieces(): AsyncGenerator<string> {
  yield "piece";
}

// That every route responds in the language of the client is tested in ../routing/permissions.test.ts.
const { call, close } = await serveRoutes(routes);
const languages = suite("the language of a response");
languages.after(close);

languages("is that of the texts of a problem, whose codes and types stay", async () => {
  const expected = validationFailed([
    fault("unknown_field", ["body", "colour"], { name: "colour", suggestion: "" }),
    fault("too_long.characters", ["body", "name"], { limit: 3 }),
    fault("wrong_type.string_or_null", ["body", "size"]),
  ]);
  for (const language of ["en", "ko", "ja"] as const) {
    const headers = { "Accept-Language": language };
    const faulty = { name: "long", size: 1, colour: "red" };
    const response = await call("POST", "/named", { token: "operator", headers, body: faulty });
    const { requestId, ...problem } = response.json as { requestId: string };
    assert.is(requestId, response.headers["x-request-id"]);
    assert.equal(problem, { type: "about:blank", ...problemBody(expected, language), instance: "/named" });
  }
});

for (const [method, path, status] of [
  ["GET", "/nowhere", 404],
  ["GET", "/broken", 500],
  ["GET", "/nothing", 204],
  ["GET", "/bytes", 200],
  ["GET", "/pieces", 200],
  ["HEAD", "/pieces", 200],
] as const) {
  languages(`is named in the headers of ${method} ${path}`, async () => {
    const { headers, ...response } = await call(method, path, {
      token: "operator",
      headers: { "Accept-Language": "ko" },
    });
    assert.equal([response.status, headers["content-language"], headers.vary], [status, "ko", "Accept-Language"]);
  });
}

languages("is passed to handlers", async () => {
  const sent = { token: "operator", headers: { "Accept-Language": "ja" }, body: { name: "a" } };
  assert.equal((await call("POST", "/named", sent)).json, { language: "ja" });
});

languages.run();

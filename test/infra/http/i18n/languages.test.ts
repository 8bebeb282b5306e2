import { suite } from "uvu";
import * as assert from "uvu/assert";
import { fault } from "../../../../domain/fault.ts";
import type { Language } from "../../../../domain/values/language.ts";
import { problemBody, textOf } from "../../../../infra/http/i18n/messages.ts";
import { type Problem, problems, validationFailed } from "../../../../infra/http/response/problem.ts";
import { mountRoutes } from "../../../../infra/http/routing/mount-routes.ts";
import { ok, reply, route } from "../../../../infra/http/routing/route.ts";
import { addErrorHandlers } from "../../../../infra/http/server/error-handler.ts";
import { createHttpApp } from "../../../../infra/http/server/http-app.ts";
import { type HttpServer, listen } from "../../../../infra/http/server/http-server.ts";
import { type Client, clientOf } from "../../../support/client.ts";

const body = {
  type: "object",
  required: ["name"],
  additionalProperties: false,
  properties: { name: { type: "string", maxLength: 3 }, size: { type: ["string", "null"] } },
} as const;
const routes = [
  route({
    method: "post",
    path: "/named",
    operation: "operate",
    body,
    handle: async ({ language }) => ok({ language }),
  }),
  route({ method: "delete", path: "/named", operation: "operate", handle: async () => reply(204, null) }),
  route({
    method: "get",
    path: "/bytes",
    operation: "operate",
    handle: async () => ({ kind: "written", text: Buffer.from([1]), mediaType: "image/png" }),
  }),
  route({
    method: "get",
    path: "/pieces",
    operation: "operate",
    handle: async () => ({
      kind: "streamed",
      pieces: (async function* () {
        yield "piece";
      })(),
      mediaType: "text/plain",
    }),
  }),
  route({
    method: "get",
    path: "/broken",
    operation: "operate",
    handle: async () => {
      throw new Error("broken");
    },
  }),
];

let server: HttpServer;
let call: Client;
const languages = suite("the language of an answer");
languages.before(async () => {
  const app = createHttpApp();
  const deps = {
    authenticate: async (authorization: string | undefined) =>
      authorization === undefined ? ("missing" as const) : ({ kind: "operator" } as const),
    findApp: async () => null,
    findAppById: async () => null,
    operatorConfigured: true,
    passed: async () => true,
    failed: () => undefined,
  };
  mountRoutes(app, routes, deps);
  addErrorHandlers(app, deps);
  server = await listen(app, { host: "127.0.0.1", port: 0 });
  call = clientOf(server.port);
});
languages.after(() => server.close(AbortSignal.timeout(1_000)));

const ask = (language: string | null, method: string, path: string, sent?: unknown) =>
  call(method, path, {
    token: "any",
    headers: language === null ? {} : { "Accept-Language": language },
    ...(sent === undefined ? {} : { body: sent }),
  });
const problemIn = async (language: string | null, method: string, path: string, sent?: unknown) => {
  const { headers, json } = await ask(language, method, path, sent);
  assert.is(headers.vary, "Accept-Language");
  const { requestId, ...problem } = json as { requestId: string };
  assert.is(requestId, headers["x-request-id"]);
  return { ...problem, language: headers["content-language"] };
};

const wrong = { name: "long", size: 1, colour: "red" };
const faults = [
  fault("unknown_field", ["body", "colour"]),
  fault("too_long.characters", ["body", "name"], { limit: 3 }),
  fault("wrong_type.string_or_null", ["body", "size"]),
];
const expectedProblem = (problem: Problem, instance: string, language: Language) => ({
  type: "about:blank",
  ...problemBody(problem, language),
  instance,
  language,
});

languages("is English unless another is asked for", async () => {
  const english = expectedProblem(validationFailed(faults), "/named", "en");
  for (const language of [null, "fr", "garbage!", "en-GB, ko;q=0.9"]) {
    assert.equal(await problemIn(language, "POST", "/named", wrong), english);
  }
});

languages("is that of title, detail and fields of a problem, whose codes and types stay", async () => {
  const expected = validationFailed(faults);
  const korean = await problemIn("ko-KR,ko;q=0.9,en;q=0.8", "POST", "/named", wrong);
  assert.equal(korean, expectedProblem(expected, "/named", "ko"));
  assert.equal(await problemIn("ja", "POST", "/named", wrong), expectedProblem(expected, "/named", "ja"));
});

languages("is the caller's before there is a caller, a route or a method, and when something breaks", async () => {
  const unknown = await call("POST", "/named", { headers: { "Accept-Language": "ja" } });
  assert.equal(
    [unknown.status, (unknown.json as { title: string }).title, unknown.headers["content-language"]],
    [401, textOf({ code: "title.401" }, "ja"), "ja"],
  );
  for (const [method, path, problem] of [
    ["GET", "/nowhere", problems.notFound],
    ["PUT", "/named", problems.methodNotAllowed],
    ["GET", "/broken", problems.internalError],
  ] as const) {
    assert.equal(await problemIn("ja", method, path), expectedProblem(problem, path, "ja"));
  }
});

languages("is told to handlers, and said of every answer, whatever it is made of", async () => {
  for (const [method, path, sent, status] of [
    ["POST", "/named", { name: "a" }, 200],
    ["DELETE", "/named", undefined, 204],
    ["GET", "/bytes", undefined, 200],
    ["GET", "/pieces", undefined, 200],
    ["HEAD", "/pieces", undefined, 200],
  ] as const) {
    const answer = await ask("ko", method, path, sent);
    assert.equal(
      [answer.status, answer.headers["content-language"], answer.headers.vary],
      [status, "ko", "Accept-Language"],
      `${method} ${path}`,
    );
  }
  assert.equal((await ask("ja", "POST", "/named", { name: "a" })).json, { language: "ja" });
});

languages.run();

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { mountRoutes } from "../../../../infra/http/routing/mount-routes.ts";
import { ok, reply, route } from "../../../../infra/http/routing/route.ts";
import { endHttpApp } from "../../../../infra/http/server/error-handler.ts";
import { createHttpApp } from "../../../../infra/http/server/http-app.ts";
import { type HttpServer, listen } from "../../../../infra/http/server/http-server.ts";
import { type Client, clientOf } from "../../../support/client.ts";

const body = {
  type: "object",
  required: ["name"],
  additionalProperties: false,
  properties: { name: { type: "string", maxLength: 3 }, size: { type: ["integer", "null"] } },
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
  endHttpApp(app, deps);
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

const wrong = { name: "long", size: "1", colour: "red" };
const problem = { type: "about:blank", status: 400, instance: "/named", code: "VALIDATION_FAILED" };

languages("is English unless another is asked for", async () => {
  const english = {
    ...problem,
    title: "Bad request",
    detail: "Some fields are missing or wrong; see errors.",
    errors: [
      { loc: ["body", "colour"], msg: "is not a known field", type: "unknown_field" },
      { loc: ["body", "name"], msg: "must have at most 3 characters", type: "too_long" },
      { loc: ["body", "size"], msg: "must be integer or null", type: "wrong_type" },
    ],
    language: "en",
  };
  for (const language of [null, "fr", "garbage!", "en-GB, ko;q=0.9"]) {
    assert.equal(await problemIn(language, "POST", "/named", wrong), english);
  }
});

languages("is that of title, detail and fields of a problem, whose codes and types stay", async () => {
  assert.equal(await problemIn("ko-KR,ko;q=0.9,en;q=0.8", "POST", "/named", wrong), {
    ...problem,
    title: "잘못된 요청",
    detail: "누락되었거나 잘못된 필드가 있습니다. errors를 확인해 주십시오.",
    errors: [
      { loc: ["body", "colour"], msg: "알 수 없는 필드입니다", type: "unknown_field" },
      { loc: ["body", "name"], msg: "3자 이하여야 합니다", type: "too_long" },
      { loc: ["body", "size"], msg: "다음 유형이어야 합니다: 정수 또는 null", type: "wrong_type" },
    ],
    language: "ko",
  });
  assert.equal(await problemIn("ja", "POST", "/named", wrong), {
    ...problem,
    title: "不正なリクエスト",
    detail: "不足している、または正しくないフィールドがあります。errorsを確認してください。",
    errors: [
      { loc: ["body", "colour"], msg: "不明なフィールドです", type: "unknown_field" },
      { loc: ["body", "name"], msg: "3文字以下である必要があります", type: "too_long" },
      { loc: ["body", "size"], msg: "整数またはnullである必要があります", type: "wrong_type" },
    ],
    language: "ja",
  });
});

languages("is the caller's before there is a caller, a route or a method, and when something breaks", async () => {
  const named = { type: "about:blank", language: "ja" };
  const unknown = await call("POST", "/named", { headers: { "Accept-Language": "ja" } });
  assert.equal(
    [unknown.status, (unknown.json as { title: string }).title, unknown.headers["content-language"]],
    [401, "認証されていません", "ja"],
  );
  assert.equal(await problemIn("ja", "GET", "/nowhere"), {
    ...named,
    title: "見つかりません",
    status: 404,
    detail: "該当するリソースは存在しません。",
    instance: "/nowhere",
    code: "NOT_FOUND",
  });
  assert.equal(await problemIn("ja", "PUT", "/named"), {
    ...named,
    title: "許可されていないメソッド",
    status: 405,
    detail: "このパスは存在しますが、このメソッドには対応していません。",
    instance: "/named",
    code: "METHOD_NOT_ALLOWED",
  });
  assert.equal(await problemIn("ja", "GET", "/broken"), {
    ...named,
    title: "内部エラー",
    status: 500,
    detail: "サーバー側で問題が発生しました。",
    instance: "/broken",
    code: "INTERNAL_ERROR",
  });
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

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { FileBody } from "../../../../infra/http/request/multipart-body.ts";
import { ok, type RouteRequest, route } from "../../../../infra/http/routing/route.ts";
import { type Form, fieldPart, filePart, form, formOf } from "../../../support/multipart-form.ts";
import type { Answer, Call } from "../../../support/raw-client.ts";
import { outcomeOf, serveRoutes } from "../../../support/served-routes.ts";
import { errorsOf } from "../../../support/short-faults.ts";
import { testRouteDocs } from "../../../support/test-route-docs.ts";

const limit = 10_000;
const maxFiles = 3;

/** Answers what its handler got. */
async function echo({ body }: RouteRequest<readonly FileBody[], undefined>) {
  return ok(body.map(({ fileName, bytes }) => [fileName, bytes.toString()]));
}
const routes = [
  route({
    docs: testRouteDocs,
    method: "post",
    path: "/test/files",
    operation: "operate",
    files: { limit, maxFiles },
    handle: echo,
  }),
];

const { call, close } = await serveRoutes(routes);
const taking = suite("a route that takes several files");
taking.after(close);

const send = (sent: Form, change: Call = {}): Promise<Answer> =>
  call("POST", "/test/files", { token: "operator", ...sent, ...change });

taking("gives the handler all of them in their order, whatever their fields are called", async () => {
  const sent = form([
    filePart("2", "b.onnx", "one"),
    fieldPart("note", "passed over"),
    filePart("1", "a.onnx", "one"),
    filePart("", "a.onnx", ""),
  ]);
  const answer = await send(sent);
  assert.equal(
    [answer.status, answer.json],
    [
      200,
      [
        ["b.onnx", "2"],
        ["a.onnx", "1"],
        ["a.onnx", ""],
      ],
    ],
  );
});

taking("knows them by their names without directories; none may have none", async () => {
  const sent = form([
    filePart("1", "bundles/spring/a.onnx"),
    filePart("2", "C:\\\\bundles\\\\b.onnx"),
    {
      headers: ['Content-Disposition: form-data; name="c"', "Content-Type: application/octet-stream"],
      content: Buffer.from("3"),
    },
  ]);
  assert.equal((await send(sent)).json, [
    ["a.onnx", "1"],
    ["b.onnx", "2"],
    [null, "3"],
  ]);
});

for (const [count, status] of [
  [0, 200],
  [maxFiles - 1, 200],
  [maxFiles, 200],
  [maxFiles + 1, 400],
] as const) {
  taking(`with ${count} of them is ${status}`, async () => {
    const answer = await send(form(Array.from({ length: count }, (_, index) => filePart("", `${index}.onnx`))));
    assert.is(answer.status, status);
    if (status === 200) assert.is((answer.json as []).length, count);
    else assert.equal(errorsOf(answer), [["body", "too_long"]]);
  });
}

taking("takes as many other fields as forms have, and no more", async () => {
  const fields = Array.from({ length: 16 }, (_, index) => fieldPart(`field ${index}`, "x"));
  const files = Array.from({ length: maxFiles }, (_, index) => filePart("", `${index}.onnx`));
  assert.is((await send(form([...fields, ...files]))).status, 200);
  assert.is(outcomeOf(await send(form([...fields, fieldPart("one more", "x"), ...files]))), "400 VALIDATION_FAILED");
});

taking("is 401, 413 and 400, each hiding what comes after it", async () => {
  assert.is(outcomeOf(await send(formOf(limit + 1), { token: "nonsense" })), "401 UNAUTHORIZED");
  const json = { headers: { "Content-Type": "application/json" }, body: "{}" };
  assert.is(outcomeOf(await send(form([]), json)), "400 NOT_MULTIPART");
  assert.is(outcomeOf(await send(form([]), { body: "broken" })), "400 INVALID_MULTIPART");
  const nameless = { headers: [], content: Buffer.from("x") };
  assert.is(outcomeOf(await send(form([nameless]))), "400 INVALID_MULTIPART");
  const long = await send(form([filePart("", "a".repeat(257))]));
  assert.equal(errorsOf(long), [["body", "filename", "too_long"]]);
});

taking.run();

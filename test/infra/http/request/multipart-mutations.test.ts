import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ok, route } from "../../../../infra/http/routing/route.ts";
import { collectGarbage } from "../../../support/collect-garbage.ts";
import { withEnvironment } from "../../../support/environment.ts";
import { boundary, fieldPart, filePart, form, namedPart } from "../../../support/multipart-form.ts";
import { serveRoutes } from "../../../support/served-routes.ts";
import { testRouteDocs } from "../../../support/test-route-docs.ts";

const limit = 100_000;
const runs = 2_500;
const maxGrowth = 50 * 1024 * 1024;

const rows = "2026-03-01,appier,spring,KRW,1000,10,5.5\r\n";
/** Valid forms, near the limit and far below it. */
const forms: readonly Buffer[] = [
  form([filePart(rows)]),
  form([filePart(rows.repeat(2_000))]),
  form([filePart(gzipSync(rows.repeat(2_000)), "spend.csv.gz")]),
  form([filePart("")]),
  form([fieldPart("kind", "spend"), filePart(rows), fieldPart("note", "\ud55c\uad6d")]),
  form([...Array.from({ length: 16 }, (_, index) => fieldPart(`field ${index}`, "v")), filePart(rows)]),
  form([namedPart(`*=utf-8''${"%F0%9F%93%88".repeat(256)}`)]),
].map(({ body }) => body);

type Mutation = (body: Buffer) => Buffer;

const place = fc.double({ min: 0, max: 1, noNaN: true });
/** What parsers of forms look for. */
const tokens = fc.constantFrom(
  ...["\r\n", "\r", "\n", "\r\n\r\n", "--", `--${boundary}`, `\r\n--${boundary}\r\n`, `\r\n--${boundary}--`, "\0", '"'],
  ...["\\", ";", ":", "=", " ", "\t", "%", "'", "name", "filename*=utf-16le''%00%D8", "Content-Disposition: form-data"],
  ...['; filename="', "\r\nContent-Disposition: form-data; name=x; filename=y\r\n\r\n"],
);
const longHeader = Buffer.from("X: ".padEnd(9_000, "y"));
const inserted = fc.oneof(
  tokens.map((text) => Buffer.from(text, "latin1")),
  fc.constant(longHeader),
  fc.uint8Array({ minLength: 1, maxLength: 64 }).map((bytes) => Buffer.from(bytes)),
);

function spliced(body: Buffer, from: number, length: number, replacement: Buffer): Buffer {
  return Buffer.concat([body.subarray(0, from), replacement, body.subarray(from + length)]);
}
const at = (body: Buffer, where: number): number => Math.floor(where * body.length);
/** Half of the changes fall on the first 300 bytes, where the headers are. */
const anywhere = fc.oneof(
  place.map((where) => (body: Buffer) => at(body, where)),
  fc.nat(300).map((offset) => (body: Buffer) => Math.min(offset, body.length)),
);

const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  fc.tuple(anywhere, inserted).map(
    ([from, bytes]): Mutation =>
      (body) =>
        spliced(body, from(body), 0, bytes),
  ),
  fc.tuple(anywhere, inserted).map(
    ([from, bytes]): Mutation =>
      (body) =>
        spliced(body, from(body), bytes.length, bytes),
  ),
  fc.tuple(anywhere, fc.nat(200)).map(
    ([from, length]): Mutation =>
      (body) =>
        spliced(body, from(body), length, Buffer.alloc(0)),
  ),
  place.map(
    (end): Mutation =>
      (body) =>
        body.subarray(0, at(body, end)),
  ),
  place.map(
    (start): Mutation =>
      (body) =>
        body.subarray(at(body, start)),
  ),
  fc.tuple(place, fc.nat(500)).map(
    ([from, length]): Mutation =>
      (body) => {
        const start = at(body, from);
        return spliced(body, start, 0, body.subarray(start, start + length));
      },
  ),
  fc.tuple(tokens, tokens).map(
    ([from, to]): Mutation =>
      (body) =>
        Buffer.from(
          body
            .toString("latin1")
            .replaceAll(from, to)
            .slice(0, limit + 10),
          "latin1",
        ),
  ),
  fc.constantFrom<Mutation>(
    (body) => Buffer.concat([body, body]),
    (body) => Buffer.from(body).reverse(),
    (body) => Buffer.concat([body, Buffer.alloc(limit)]),
  ),
);

/** Most keep their content type; some name another boundary, or none. */
const contentType = fc.oneof(
  { weight: 9, arbitrary: fc.constant(`multipart/form-data; boundary=${boundary}`) },
  {
    weight: 1,
    arbitrary: fc.stringMatching(/^[ -~]{0,80}$/).map((text) => `multipart/form-data; boundary=${text}`),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom("-", "--", "\\", " ", "a", "\r")
      .map((text) => `multipart/form-data; boundary=${text.trim()}`),
  },
);

const taking = route({
  docs: testRouteDocs,
  method: "post",
  path: "/files",
  operation: "operate",
  file: { limit },
  handle: async ({ body }) => ok({ size: body.bytes.length }),
});
const { call, failures, close } = await serveRoutes([taking]);
const temporary = await mkdtemp(join(tmpdir(), "touchledger-test-"));

const mutated = suite("a malformed form");
mutated.after(async () => {
  await close();
  await rm(temporary, { recursive: true, force: true });
});

mutated(`is answered, in ${runs} mutations, and leaves nothing behind`, async () => {
  const answers = new Map<number, number>();
  const send = async (body: Buffer, type: string): Promise<number> => {
    const { status } = await call("POST", "/files", { token: "operator", body, headers: { "Content-Type": type } });
    assert.ok([200, 400, 413].includes(status), `answered ${status}`);
    answers.set(status, (answers.get(status) ?? 0) + 1);
    return status;
  };
  await withEnvironment({ TMPDIR: temporary }, async () => {
    const before = await memoryInUse();
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...forms),
        fc.array(mutation, { minLength: 1, maxLength: 4 }),
        contentType,
        async (valid, mutations, type) => {
          await send(
            mutations.reduce((body, mutate) => mutate(body), valid),
            type,
          );
        },
      ),
      { numRuns: runs },
    );
    const growth = (await memoryInUse()) - before;
    assert.ok(growth < maxGrowth, `grew by ${growth} bytes`);
    for (const valid of forms) assert.is(await send(valid, `multipart/form-data; boundary=${boundary}`), 200);
  });
  assert.equal(await readdir(temporary), []);
  assert.equal(failures, []);
  // Mutations that never or always break a form would show nothing.
  for (const status of [200, 400, 413]) assert.ok((answers.get(status) ?? 0) > runs / 50, `${status} is too rare`);
});

mutated.run();

/** Bytes in use once garbage is collected, also what a finaliser or a closed connection holds until a later turn. */
async function memoryInUse(): Promise<number> {
  for (let turn = 0; turn < 3; turn += 1) {
    collectGarbage();
    await nextTurn();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

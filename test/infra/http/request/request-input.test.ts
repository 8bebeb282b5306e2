import { connect } from "node:net";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ok, route } from "../../../../infra/http/routing/route.ts";
import { type Application, startApplication } from "../../../support/application.ts";
import type { Answer } from "../../../support/raw-client.ts";
import { testRouteDocs } from "../../../support/test-route-docs.ts";

const path = "/v1/notes";
const largeBodyBytes = 1024 * 1024;

/** Requests being handled, and what lets them all respond. */
let handling = 0;
let onHandling = (): void => {};
let respond = (): void => {};
let untilRespond: Promise<void> = Promise.resolve();

const notes = route({
  docs: testRouteDocs,
  method: "post",
  path,
  operation: "manage_tracking_links",
  body: { type: "object", required: ["note"], properties: { note: {} } },
  bodyLimit: 2 * largeBodyBytes,
  maxLargeBodies: 2,
  async handle() {
    handling += 1;
    onHandling();
    await untilRespond;
    handling -= 1;
    return ok({});
  },
});

const bodyOf = (bytes: number): string => `{"note":"${"x".repeat(bytes - '{"note":""}'.length)}"}`;
const untilHandling = (count: number): Promise<void> =>
  new Promise((resolve) => {
    onHandling = () => {
      if (handling === count) resolve();
    };
    onHandling();
  });

const bodies = suite<{ application: Application }>("bodies");

bodies.before(async (context) => {
  context.application = await startApplication({ routes: [notes] });
});
bodies.after(({ application }) => application.close());

const post = ({ call }: Application, token: string, body: string, chunksOf?: number): Promise<Answer> =>
  call("POST", path, { token, body, ...(chunksOf === undefined ? {} : { chunksOf }) });
const outcome = ({ status, json }: Answer): unknown => [status, (json as { code?: string }).code];

bodies("over 1 MiB have a place of their app until their response; smaller ones need none", async ({ application }) => {
  untilRespond = new Promise((resolve) => {
    respond = resolve;
  });
  const large = bodyOf(largeBodyBytes + 1);
  const first = [post(application, "owner", large), post(application, "other_owner", large)];
  await untilHandling(2);
  assert.equal(outcome(await post(application, "owner", large)), [503, "OVERLOADED"]);
  const small = [post(application, "owner", bodyOf(largeBodyBytes)), post(application, "owner", bodyOf(100), 10)];
  await untilHandling(4);
  respond();
  assert.equal(
    (await Promise.all([...first, ...small])).map(({ status }) => status),
    [200, 200, 200, 200],
  );
  assert.is((await post(application, "owner", large)).status, 200);
});

bodies("that have not arrived yet take no place", async ({ application }) => {
  const head = `POST ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer owner\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n`;
  const unfinished = Array.from({ length: 4 }, () => {
    const socket = connect({ host: "127.0.0.1", port: application.port });
    socket.write(head);
    return socket;
  });
  await Promise.all(unfinished.map((socket) => new Promise((resolve) => socket.once("ready", resolve))));
  assert.is((await post(application, "owner", bodyOf(largeBodyBytes + 1))).status, 200);
  for (const socket of unfinished) socket.destroy();
});

bodies("have at most 50,000 objects, arrays and members", async ({ application }) => {
  const bodyWith = (members: number): string => JSON.stringify({ note: Array.from({ length: members - 1 }, () => 0) });
  const outcomes = [];
  for (const members of [49_999, 50_000, 50_001]) {
    outcomes.push(outcome(await post(application, "owner", bodyWith(members))));
  }
  assert.equal(outcomes, [
    [200, undefined],
    [200, undefined],
    [413, "PAYLOAD_TOO_LARGE"],
  ]);
});

bodies("of more bytes than an endpoint takes are refused with its limit", async ({ application }) => {
  const limit = 2 * largeBodyBytes;
  for (const bytes of [limit - 1, limit]) {
    assert.is((await post(application, "owner", bodyOf(bytes))).status, 200);
  }
  const { status, json } = await post(application, "owner", bodyOf(limit + 1));
  assert.is(status, 413);
  assert.match((json as { detail: string }).detail, /^The body has more than 2,097,152 bytes, /);
});

bodies.run();

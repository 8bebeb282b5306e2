import { connect } from "node:net";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ok, route } from "../../../../infra/http/routing/route.ts";
import type { Answer } from "../../../support/client.ts";
import { serveRoutes } from "../../../support/served-routes.ts";

const path = "/test/notes";
const [most, largeBodyBytes] = [2, 1024 * 1024];

/** Whoever is being answered, and what lets them all go on. */
let answering = 0;
let onAnswering = (): void => {};
let goOn = (): void => {};
let untilGoOn: Promise<void> = Promise.resolve();
const hold = (): void => {
  untilGoOn = new Promise((resolve) => {
    goOn = resolve;
  });
};

const notes = route({
  method: "post",
  path,
  operation: "manage_tracking_links",
  body: { type: "object", required: ["note"], properties: { note: { type: "string" } } },
  bodyLimit: 2 * largeBodyBytes,
  maxLargeBodies: most,
  async handle({ body }) {
    answering += 1;
    onAnswering();
    await untilGoOn;
    answering -= 1;
    return ok({ length: body.note.length });
  },
});

/** A body of so many bytes. */
const bodyOf = (bytes: number): string => `{"note":"${"x".repeat(bytes - '{"note":""}'.length)}"}`;
const untilAnswering = (count: number): Promise<void> =>
  new Promise((resolve) => {
    onAnswering = () => {
      if (answering === count) resolve();
    };
    onAnswering();
  });

const { call, port, close } = await serveRoutes([notes]);
const token = "owner";
const large = suite("large bodies of a route that takes two at once");
large.after(close);

const outcome = ({ status, json, headers }: Answer): unknown => [
  status,
  (json as { code?: string }).code,
  headers["retry-after"],
];

large("are taken up to two; a third is 503 until one is answered, and usual ones are taken always", async () => {
  const post = (bytes: number, chunksOf?: number): Promise<Answer> =>
    call("POST", path, { token, body: bodyOf(bytes), ...(chunksOf === undefined ? {} : { chunksOf }) });
  for (let round = 0; round < 2; round += 1) {
    hold();
    const first = [post(largeBodyBytes + 1), post(100, 10)];
    await untilAnswering(2);
    const refused = [await post(largeBodyBytes + 1), await post(2 * largeBodyBytes), await post(100, 10)];
    assert.equal(refused.map(outcome), Array(3).fill([503, "OVERLOADED", "1"]));
    const usual = [post(largeBodyBytes - 1), post(largeBodyBytes)];
    await untilAnswering(4);
    goOn();
    const answers = await Promise.all([...first, ...usual]);
    assert.equal(
      answers.map(({ status, json }) => [status, (json as { length: number }).length]),
      [largeBodyBytes + 1, 100, largeBodyBytes - 1, largeBodyBytes].map((bytes) => [200, bytes - 11]),
    );
  }
});

large("give their place back when they are refused", async () => {
  for (let asked = 0; asked <= most; asked += 1) {
    const statuses = [];
    for (const body of ["x".repeat(largeBodyBytes + 1), bodyOf(2 * largeBodyBytes + 1)]) {
      statuses.push((await call("POST", path, { token, body })).status);
    }
    assert.equal(statuses, [400, 413]);
  }
});

large("have their place while they come, and give it back when their caller hangs up", async () => {
  const untilAnswered = async (expected: number): Promise<void> => {
    let status = 0;
    while (status !== expected) ({ status } = await call("POST", path, { token, body: bodyOf(largeBodyBytes + 1) }));
  };
  const head = `POST ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n`;
  const coming = Array.from({ length: most }, () => {
    const socket = connect({ host: "127.0.0.1", port });
    socket.write(`${head}Content-Length: ${2 * largeBodyBytes}\r\n\r\n{`);
    return socket;
  });
  await untilAnswered(503);
  for (const socket of coming) socket.destroy();
  await untilAnswered(200);
});

large.run();

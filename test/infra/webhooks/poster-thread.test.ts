import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createPosterThread } from "../../../infra/webhooks/poster-thread.ts";
import { startReceiver } from "../../support/webhook-receiver.ts";

const execute = promisify(execFile);
const receiver = await startReceiver();
const headers = { "content-type": "application/json" };
const never = new AbortController().signal;
const poster = createPosterThread({ allowsPrivate: true });

const thread = suite("the thread that sends webhooks");
thread.before.each(() => {
  receiver.requests.length = 0;
  receiver.respond = () => ({ status: 204 });
});
thread.after(async () => {
  poster.close();
  await receiver.close();
});

thread("sends requests that are made at once, and returns the result of each", async () => {
  receiver.respond = ({ body }) => ({ status: Number(body) });
  const warnings: string[] = [];
  const warned = ({ name }: Error) => warnings.push(name);
  process.on("warning", warned);
  const statuses = Array.from({ length: 50 }, (_, index) => 200 + index);
  const results = await Promise.all(
    statuses.map((status) => poster.post(receiver.url, headers, String(status), never)),
  );
  assert.equal(
    results,
    statuses.map((responseStatus) => ({ responseStatus, failure: null })),
  );
  assert.equal(new Set(receiver.requests.map(({ body }) => body)), new Set(statuses.map(String)));
  process.off("warning", warned);
  assert.equal(warnings, []);
});

thread("has the lowest priority on Linux, and no other thread of the process has", async () => {
  if (process.platform !== "linux") return;
  await poster.post(receiver.url, headers, "", never);
  const threads = await readdir("/proc/self/task");
  const nice = await Promise.all(
    threads.map(async (id) => niceOf(await readFile(`/proc/self/task/${id}/stat`, "utf8"))),
  );
  assert.equal(
    [nice.filter((value) => value === 19).length, niceOf(await readFile("/proc/self/stat", "utf8"))],
    [1, 0],
  );
});

/** The nineteenth field; the second, a name in parentheses, may have spaces. */
function niceOf(stat: string): number {
  return Number(stat.slice(stat.lastIndexOf(")")).split(" ")[17]);
}

thread("refuses private addresses unless they are allowed", async () => {
  const careful = createPosterThread({ allowsPrivate: false });
  assert.equal(await careful.post(receiver.url, headers, "", never), {
    ...{ responseStatus: null, failure: "blocked_address" },
  });
  careful.close();
});

thread("gives a request up with its signal, and sends the next one", async () => {
  const abort = new AbortController();
  const arrived = new Promise<void>((resolve) => {
    receiver.respond = () => {
      resolve();
      return null;
    };
  });
  const given = poster.post(receiver.url, headers, "first", abort.signal).catch((failure: unknown) => failure);
  await arrived;
  abort.abort("stopping");
  assert.is(await given, "stopping");
  const late = await poster.post(receiver.url, headers, "late", abort.signal).catch((failure: unknown) => failure);
  assert.is(late, "stopping");
  receiver.respond = () => ({ status: 204 });
  assert.equal(await poster.post(receiver.url, headers, "next", never), { responseStatus: 204, failure: null });
  assert.equal(
    receiver.requests.map(({ body }) => body),
    ["first", "next"],
  );
});

thread("loads nothing that the process has preloaded, such as an OpenTelemetry SDK", async () => {
  const answering =
    'import { parentPort } from "node:worker_threads"; parentPort.once("message", ([{ id }]) => ' +
    "parentPort.postMessage([{ id, result: { responseStatus: globalThis.isLoaded ? 500 : 200, failure: null } }]));";
  const program = `
    import { createPosterThread } from ${JSON.stringify(import.meta.resolve("../../../infra/webhooks/poster-thread.js"))};
    const poster = createPosterThread({ allowsPrivate: true }, new URL(${JSON.stringify(`data:text/javascript,${encodeURIComponent(answering)}`)}));
    const { responseStatus } = await poster.post("http://hooks.example/", {}, "", new AbortController().signal);
    console.log(globalThis.isLoaded, responseStatus);
    poster.close();`;
  const env = { ...process.env, NODE_OPTIONS: "--import=data:text/javascript,globalThis.isLoaded=true" };
  const { stdout } = await execute(process.execPath, ["--input-type=module", "--eval", program], { env });
  assert.is(stdout.trim(), "true 200");
});

thread("rejects its requests when it ends, and starts anew with the next one", async () => {
  const program =
    'import { parentPort } from "node:worker_threads"; parentPort.once("message", () => process.exit(1));';
  const ending = createPosterThread({ allowsPrivate: true }, new URL(`data:text/javascript,${program}`));
  for (let times = 0; times < 2; times += 1) {
    const failure = await ending.post(receiver.url, headers, "", never).catch((reason: Error) => reason.message);
    assert.is(failure, "The thread that sends webhooks has ended");
  }
});

thread("rejects the requests that are under way when it is closed", async () => {
  const closing = createPosterThread({ allowsPrivate: true });
  receiver.respond = () => {
    closing.close();
    return null;
  };
  const failure = await closing.post(receiver.url, headers, "", never).catch((reason: Error) => reason.message);
  assert.is(failure, "The thread that sends webhooks has ended");
});

thread.run();

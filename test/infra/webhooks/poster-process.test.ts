import { execFile, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { constants, getPriority } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { processIdentity } from "../../../infra/data-directory/processes.ts";
import { createPosterProcess } from "../../../infra/webhooks/poster-process.ts";
import { temporaryDirectory } from "../../support/application-process.ts";
import { startReceiver } from "../../support/webhook-receiver.ts";

const execute = promisify(execFile);
const directory = await temporaryDirectory();
const receiver = await startReceiver();
const headers = { "content-type": "application/json" };
const never = new AbortController().signal;
const poster = createPosterProcess({ allowsPrivate: true });

const sending = suite("the process that sends webhooks");
sending.before.each(() => {
  receiver.requests.length = 0;
  receiver.respond = () => ({ status: 204 });
});
sending.after(async () => {
  poster.close();
  await receiver.close();
  await directory.remove();
});

sending("sends requests that are made at once, and returns the result of each", async () => {
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

sending("has no variable of the environment but those that name certificates", async () => {
  if (process.platform !== "linux") return;
  await poster.post(receiver.url, headers, "", never);
  const [child] = await childrenOf(process.pid);
  const environment = await readFile(`/proc/${child}/environ`, "utf8");
  const names = environment.split("\0").flatMap((line) => line.split("=", 1).filter((name) => name !== ""));
  const certificates = ["NODE_EXTRA_CA_CERTS", "NODE_USE_SYSTEM_CA", "SSL_CERT_DIR", "SSL_CERT_FILE"].filter(
    (name) => name in process.env,
  );
  assert.equal(new Set(names), new Set([...certificates, "NODE_CHANNEL_FD", "NODE_CHANNEL_SERIALIZATION_MODE"]));
});

sending("has the lowest priority, unlike the process that has started it", async () => {
  if (process.platform !== "linux") return;
  await poster.post(receiver.url, headers, "", never);
  const [child = 0, ...others] = await childrenOf(process.pid);
  assert.equal([others, getPriority(child), getPriority()], [[], constants.priority.PRIORITY_LOW, 0]);
});

sending("outlives signals to the whole group, and ends with the process that has started it", async () => {
  if (process.platform !== "linux") return;
  const program = `
    import { createPosterProcess } from ${JSON.stringify(import.meta.resolve("../../../infra/webhooks/poster-process.js"))};
    const poster = createPosterProcess({ allowsPrivate: true });
    const post = () => poster.post(${JSON.stringify(receiver.url)}, {}, "", new AbortController().signal);
    await post();
    process.on("SIGINT", () => post().then(({ responseStatus }) => console.log(responseStatus)));
    console.log("ready");`;
  const parent = spawn(process.execPath, ["--input-type=module", "--eval", program], {
    detached: true,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines = createInterface({ input: parent.stdout })[Symbol.asyncIterator]();
  assert.is((await lines.next()).value, "ready");
  const [child = 0] = await childrenOf(parent.pid ?? 0);
  process.kill(-(parent.pid ?? 0), "SIGINT");
  assert.is((await lines.next()).value, "204");
  assert.ok(processIdentity(child) !== null);
  parent.kill("SIGKILL");
  while (processIdentity(child) !== null) await pause(10);
});

/** The processes that a process has started, on Linux. */
async function childrenOf(pid: number): Promise<readonly number[]> {
  const ids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const parents = await Promise.all(ids.map((id) => readFile(`/proc/${id}/stat`, "utf8").then(parentIn, () => 0)));
  return ids.map(Number).filter((_, index) => parents[index] === pid);
}

/** The fourth field; the second, a name in parentheses, may have spaces. */
function parentIn(stat: string): number {
  return Number(stat.slice(stat.lastIndexOf(")")).split(" ")[2]);
}

sending("refuses private addresses unless they are allowed", async () => {
  const careful = createPosterProcess({ allowsPrivate: false });
  assert.equal(await careful.post(receiver.url, headers, "", never), {
    ...{ responseStatus: null, failure: "blocked_address" },
  });
  careful.close();
});

sending("gives a request up with its signal, and sends the next one", async () => {
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

sending("closes the connection of a request that is given up, before its deadline", async () => {
  const abort = new AbortController();
  const server = createServer((socket) => {
    socket.on("error", () => undefined).once("data", () => abort.abort("stopping"));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const since = performance.now();
  const given = poster
    .post(`http://127.0.0.1:${port}/`, headers, "", abort.signal)
    .catch((failure: unknown) => failure);
  const [socket] = (await once(server, "connection")) as [Socket];
  await once(socket, "close");
  assert.ok(performance.now() - since < 5_000);
  assert.is(await given, "stopping");
  server.close();
});

/** The path of a program that is started in place of the poster. */
async function programOf(text: string): Promise<string> {
  const path = join(directory.path, `${randomUUID()}.mjs`);
  await writeFile(path, text);
  return path;
}

sending("loads nothing that the process has preloaded, such as an OpenTelemetry SDK", async () => {
  const answering = await programOf(
    'process.once("message", ([{ id }]) => ' +
      "process.send([{ id, result: { responseStatus: globalThis.isLoaded ? 500 : 200, failure: null } }]));",
  );
  const program = `
    import { createPosterProcess } from ${JSON.stringify(import.meta.resolve("../../../infra/webhooks/poster-process.js"))};
    const poster = createPosterProcess({ allowsPrivate: true, program: ${JSON.stringify(answering)} });
    const { responseStatus } = await poster.post("http://hooks.example/", {}, "", new AbortController().signal);
    console.log(globalThis.isLoaded, responseStatus);
    poster.close();`;
  const env = { ...process.env, NODE_OPTIONS: "--import=data:text/javascript,globalThis.isLoaded=true" };
  const { stdout } = await execute(process.execPath, ["--input-type=module", "--eval", program], { env });
  assert.is(stdout.trim(), "true 200");
});

sending("rejects its requests when it ends, and starts anew with the next one", async () => {
  const program = await programOf('process.once("message", () => process.exit(1));');
  const ending = createPosterProcess({ allowsPrivate: true, program });
  for (let times = 0; times < 2; times += 1) {
    const failure = await ending.post(receiver.url, headers, "", never).catch((reason: Error) => reason.message);
    assert.is(failure, "The process that sends webhooks has ended");
  }
});

sending("is ended when it has no result for a request in time", async () => {
  const program = await programOf('process.once("message", () => setInterval(() => {}, 1_000));');
  const hanging = createPosterProcess({ allowsPrivate: true, program, hungMs: 100 });
  const failure = await hanging.post(receiver.url, headers, "", never).catch((reason: Error) => reason.message);
  assert.is(failure, "The process that sends webhooks has ended");
});

sending("rejects the requests that are under way when it is closed", async () => {
  const closing = createPosterProcess({ allowsPrivate: true });
  receiver.respond = () => {
    closing.close();
    return null;
  };
  const failure = await closing.post(receiver.url, headers, "", never).catch((reason: Error) => reason.message);
  assert.is(failure, "The process that sends webhooks has ended");
});

sending.run();

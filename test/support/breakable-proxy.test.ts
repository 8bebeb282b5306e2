// time limit: 10 s
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { startBreakableProxy } from "./breakable-proxy.ts";

const delayMs = 60;
const echo = createServer((socket) => {
  socket.on("error", () => {});
  socket.pipe(socket);
}).listen(0, "127.0.0.1");
await once(echo, "listening");
const proxy = await startBreakableProxy(`echo://127.0.0.1:${(echo.address() as AddressInfo).port}`);

const breaking = suite("a proxy that breaks");
breaking.after(async () => {
  await proxy.close();
  echo.close();
});

async function opened(): Promise<Socket> {
  const socket = connect(Number(new URL(proxy.connectionString).port), "127.0.0.1");
  await once(socket, "connect");
  return socket.setEncoding("utf8");
}

/** The echo of a text, and the milliseconds until it was there. */
async function echoed(socket: Socket, text: string): Promise<{ readonly text: string; readonly ms: number }> {
  const since = performance.now();
  socket.write(text);
  let received = "";
  while (received.length < text.length) received += (await once(socket, "data"))[0];
  return { text: received, ms: performance.now() - since };
}

breaking("delays both ways, and keeps the order when it is fast again", async () => {
  const socket = await opened();
  proxy.delay(delayMs);
  const slow = await echoed(socket, "slow");
  assert.is(slow.text, "slow");
  // A timer may fire a millisecond early.
  assert.ok(slow.ms >= 2 * delayMs - 2, `${slow.ms} ms`);
  const both = echoed(socket, "first second");
  proxy.resume();
  assert.is((await both).text, "first second");
  socket.destroy();
});

breaking("cuts connections, refuses new ones, and lets them in again", async () => {
  const socket = await opened();
  const closed = once(socket, "close");
  proxy.cut();
  await closed;
  const refused = await opened();
  await once(refused, "close");
  proxy.resume();
  const again = await opened();
  assert.is((await echoed(again, "again")).text, "again");
  again.destroy();
});

breaking.run();

import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ExportNotReproduced } from "../../../read-api/raw-exports/download.ts";
import { codeOf, completedOf, type Downloads, fileOf, type Page, pagesOf, startDownloads } from "./downloads.ts";

let downloads: Downloads;
const start = async (options: Parameters<typeof startDownloads>[0] = {}): Promise<void> => {
  downloads = await startDownloads(options);
};

/** Polls until `condition` holds. */
async function until(condition: () => boolean): Promise<void> {
  const deadline = performance.now() + 10_000;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error("Not within 10 s");
    await delay(2);
  }
}
/** A connection that has requested the file and reads nothing of the response. */
async function silentClient(): Promise<Socket> {
  const socket = connect(downloads.port, "127.0.0.1");
  socket.on("error", () => undefined);
  await once(socket, "connect");
  socket.pause();
  socket.write(`GET ${downloads.path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  return socket;
}
const megabyte: Page["rows"] = Array.from({ length: 64 }, () => ["1", "x".repeat(16 * 1024), null]);
/** A file of 200 pages of 1 MiB, which are made as they are read. */
async function storeLargeFile(): Promise<void> {
  downloads.stored.found = { ...(await completedOf([])), rows: 12_800, bytes: 300 * 1024 * 1024 };
  downloads.stored.pages = Array.from({ length: 200 }, () => ({ rows: megabyte, after: null }));
}

const callers = suite("a client of a download");
callers.after.each(() => downloads.close());

callers("that disconnects stops the reading, and no failure is logged", async () => {
  await start({ maxConcurrent: 1 });
  await storeLargeFile();
  const socket = await silentClient();
  await until(() => downloads.read.pages > 0);
  socket.destroy();
  await until(() => downloads.read.ended === 1);
  assert.ok(downloads.read.pages < 50, `${downloads.read.pages} pages`);
  assert.equal(downloads.failures, []);
  const pages = pagesOf(5, 5);
  Object.assign(downloads.stored, { pages, found: await completedOf(pages) });
  assert.ok((await downloads.get()).bytes.equals(fileOf(pages)), "the slot is free again");
});

callers("that disconnects before the first page frees its slot", async () => {
  let isQueried = false;
  let answer = (): void => {};
  const found = await completedOf([]);
  await start({
    maxConcurrent: 1,
    rawExportOf: async () => {
      if (!isQueried) {
        isQueried = true;
        await new Promise<void>((resolve) => {
          answer = resolve;
        });
      }
      return found;
    },
  });
  const socket = await silentClient();
  await until(() => isQueried);
  socket.destroy();
  await delay(20);
  answer();
  await until(() => downloads.read.begun.length === downloads.read.ended);
  downloads.stored.pages = [];
  const next = async () => downloads.get();
  let status = (await next()).status;
  const deadline = performance.now() + 5_000;
  while (status === 503 && performance.now() < deadline) status = (await next()).status;
  assert.is(status, 200);
  assert.equal(downloads.failures, []);
});

callers("that reads nothing has few pages read, and is disconnected after the time limit", async () => {
  await start({ stalledMs: 300 });
  await storeLargeFile();
  const since = performance.now();
  const socket = await silentClient();
  await until(() => downloads.read.ended === 1);
  const ms = performance.now() - since;
  assert.ok(ms > 280, `after ${ms} ms`);
  assert.ok(downloads.read.pages < 20, `${downloads.read.pages} of 200 pages`);
  assert.equal(downloads.failures, []);
  socket.destroy();
});

callers("that reads slowly but steadily is not disconnected", async () => {
  const stalledMs = 400;
  await start({ stalledMs });
  const pages = Array.from({ length: 24 }, () => ({ rows: megabyte, after: null }));
  Object.assign(downloads.stored, { pages, found: await completedOf(pages) });
  const size = fileOf(pages).length;
  const since = performance.now();
  const socket = await silentClient();
  let received = 0;
  let untilPause = 0;
  while (received < size && !socket.destroyed) {
    const chunk = socket.read() as Buffer | null;
    received += chunk?.length ?? 0;
    untilPause -= chunk?.length ?? 0;
    if (untilPause < 0) {
      untilPause = 1024 * 1024;
      await delay(50);
    } else if (chunk === null) await delay(1);
  }
  assert.ok(received >= size, `${received} of ${size} bytes`);
  assert.ok(performance.now() - since > 2 * stalledMs, "a client that reads nothing would be disconnected");
  socket.destroy();
});

callers("beyond the maximum of their app, half of all, gets 503", async () => {
  await start({ maxConcurrent: 4 });
  let begun = 0;
  let release = (): void => {};
  const isReleased = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { rowsOf, pages } = downloads.stored;
  downloads.stored.rowsOf = async function* (one, after) {
    begun += 1;
    await isReleased;
    yield* rowsOf(one, after);
  };
  const running = [downloads.get(), downloads.get({}, `${downloads.path}&format=parquet`)];
  await until(() => begun === 2);
  for (const method of ["GET", "HEAD"]) {
    const refused = await downloads.get({}, downloads.path, method);
    assert.is(refused.status, 503);
    assert.is(refused.headers["retry-after"], "1");
    if (method === "GET") assert.is(codeOf(refused), "503 OVERLOADED");
  }
  release();
  const [csv, parquet] = await Promise.all(running);
  assert.ok(csv?.bytes.equals(fileOf(pages)));
  assert.is(parquet?.status, 200);
  await until(() => downloads.read.ended === 2);
  assert.is((await downloads.get()).status, 200, "the slots are free again");
});

callers.run();

const reproduced = suite("a file whose rows");
reproduced.before.each(() => start());
reproduced.after.each(() => downloads.close());

const changed = (pages: readonly Page[], change: (row: readonly (string | null)[]) => readonly (string | null)[]) =>
  pages.map(({ rows, after }, index) => ({
    rows: rows.map((row, at) => (index === pages.length - 1 && at === rows.length - 1 ? change(row) : row)),
    after,
  }));
const others: readonly (readonly [string, (pages: readonly Page[]) => readonly Page[]])[] = [
  ["lack the last page", (pages) => pages.slice(0, -1)],
  ["are gone", () => []],
  [
    "have another cell of the same length",
    (pages) => changed(pages, ([id, ...rest]) => [id?.replace(/^./, "f") ?? "", ...rest]),
  ],
  ["have a longer cell", (pages) => changed(pages, ([id, ...rest]) => [`${id}0`, ...rest])],
  ["have a shorter cell", (pages) => changed(pages, ([id, ...rest]) => [id?.slice(1) ?? "", ...rest])],
  ["have another order", (pages) => [...pages].reverse()],
];
for (const [what, other] of others) {
  reproduced(`${what} ends before its last byte, and is reported`, async () => {
    const { pages } = downloads.stored;
    downloads.stored.pages = other(pages);
    const whole = fileOf(pages);
    const got = await downloads.get().catch(() => null);
    assert.ok(got === null || (got.isCut && got.bytes.length < whole.length));
    assert.equal(
      downloads.failures.map((failure) => failure instanceof ExportNotReproduced),
      [true],
    );
    downloads.stored.pages = pages;
    assert.ok((await downloads.get()).bytes.equals(whole), "the next client gets the file");
  });
}

for (const [what, other] of [
  ["fewer", (pages) => pages.slice(0, -1)],
  ["more", (pages) => [...pages, ...pages.slice(-1)]],
] as const satisfies typeof others) {
  reproduced(`are ${what} is no Parquet file either`, async () => {
    const { pages } = downloads.stored;
    downloads.stored.pages = other(pages);
    const got = await downloads.get({}, `${downloads.path}&format=parquet`);
    // The few rows of these pages are one row group, written at the end.
    assert.is(got.status, 500);
    assert.equal(
      downloads.failures.map((failure) => failure instanceof ExportNotReproduced),
      [true],
    );
  });
}

reproduced("cannot be read is 500 before the first bytes, ends early after them, and is reported", async () => {
  const { rowsOf } = downloads.stored;
  for (const [pages, expected] of [
    [0, { csv: 500, parquet: 500 }],
    [2, { csv: "cut", parquet: 500 }],
  ] as const) {
    downloads.failures.length = 0;
    downloads.stored.rowsOf = async function* (one, after) {
      let read = 0;
      for await (const page of rowsOf(one, after)) {
        if (read === pages) throw new Error("the database is unavailable");
        read += 1;
        yield page;
      }
    };
    const outcomeOf = async (format: string) => {
      const got = await downloads.get({}, `${downloads.path}&format=${format}`).catch(() => null);
      return got === null || got.isCut ? "cut" : got.status;
    };
    // The few rows of these pages are one row group of Parquet, written at the end.
    assert.equal({ csv: await outcomeOf("csv"), parquet: await outcomeOf("parquet") }, expected);
    assert.equal(downloads.failures.map(String), [
      "Error: the database is unavailable",
      "Error: the database is unavailable",
    ]);
  }
});

reproduced.run();

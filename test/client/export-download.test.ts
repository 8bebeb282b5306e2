import { once } from "node:events";
import { setImmediate as nextTurn } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type DownloadedExport, type DownloadTarget, downloadExport } from "../../client/index.ts";
import { errorOf } from "../infra/event-log/event-log-client.ts";
import {
  cutAfter,
  type ExportServer,
  type Misbehaviour,
  refuseWith,
  sendFile,
  sha256Of,
  startExportServer,
} from "./export-server.ts";

const csv = Buffer.from(
  `event_id,channel\r\n${Array.from({ length: 20_000 }, (_, row) => `${row},newsletter\r\n`).join("")}`,
);
const parquet = Buffer.from(`PAR1${"rows".repeat(50_000)}PAR1`);
const timing = { timeoutMs: 5_000, stalledMs: 2_000, pauseMs: 1 };

/** Sends ten bytes and nothing more. */
const silent: Misbehaviour = (_request, response, { content, sha256 }) => {
  response.setHeader("ETag", `"${sha256}"`);
  response.write(content.subarray(0, 10));
};

/** Aborts once a client of this process has read what was sent to it. */
async function abortLater(stopping: AbortController): Promise<void> {
  for (let turns = 0; turns < 200; turns += 1) await nextTurn();
  stopping.abort();
}

/** A target in memory; one that cannot take anything back is like standard output. */
function target(before: Uint8Array | string = "", canClear = true) {
  let bytes = Buffer.from(before);
  const memory = {
    size: () => bytes.length,
    write: async (piece: Uint8Array) => {
      bytes = Buffer.concat([bytes, piece]);
    },
    clear: canClear
      ? async () => {
          bytes = Buffer.alloc(0);
        }
      : null,
    sha256: async () => sha256Of(bytes),
    bytes: () => bytes,
  };
  return memory satisfies DownloadTarget;
}

let server: ExportServer;
const test = suite("downloads of exports");
test.before.each(async () => {
  server = await startExportServer(csv);
});
test.after.each(() => server.stop());

function download(to: DownloadTarget, more: Partial<Parameters<typeof downloadExport>[0]> = {}) {
  const { format = "csv" } = more;
  const url = async () => `${server.address()}&format=${format}`;
  return downloadExport({ target: to, format, url, onProgress: () => {}, timing, ...more });
}

/** Downloads a CSV and checks that it is whole; answers the requests. */
async function wholeAfter(misbehaviours: readonly Misbehaviour[], to = target()): Promise<readonly string[]> {
  server.next.push(...misbehaviours);
  const file = await download(to);
  assert.equal(file, { rows: 7, bytes: csv.length, sha256: server.sha256 } satisfies DownloadedExport);
  assert.ok(to.bytes().equals(csv));
  return server.requests;
}

/** Name and message of what a download rejects with. */
const failureOf = async (downloading: Promise<unknown>): Promise<string> => String(await errorOf(downloading));

test("a CSV file arrives whole, as its server describes it, and without a token", async () => {
  assert.equal(await wholeAfter([]), ["HEAD /file", "GET /file"]);
  assert.is(
    server.headers.some(({ authorization }) => authorization !== undefined),
    false,
  );
});

test("a download ends when its signal aborts, while it reads and between two attempts, and keeps what has arrived", async () => {
  const unavailable = refuseWith(503);
  for (const misbehaviour of [silent, unavailable]) {
    const stopping = new AbortController();
    const to = target();
    const arrived = once(stopping.signal, "abort");
    server.next.push((...request) => {
      misbehaviour(...request);
      if (misbehaviour === unavailable) request[1].once("close", () => void abortLater(stopping));
    });
    const onProgress = (bytes: number) => bytes > 0 && stopping.abort();
    const endless = { ...timing, pauseMs: 600_000 };
    const downloading = errorOf(download(to, { signal: stopping.signal, onProgress, timing: endless }));
    await arrived;
    assert.is(((await downloading) as Error).name, "AbortError");
    assert.is(to.size(), misbehaviour === silent ? 10 : 0);
  }
  assert.equal(server.requests, ["HEAD /file", "GET /file", "HEAD /file", "GET /file"]);
});

test("progress counts the bytes of the file", async () => {
  const shown: (readonly [number, number | null])[] = [];
  await download(target(), { onProgress: (...one) => shown.push(one) });
  assert.equal(
    [shown[0], shown.at(-1)],
    [
      [0, csv.length],
      [csv.length, csv.length],
    ],
  );
});

test("a CSV download that is cut continues after the last byte", async () => {
  const requests = await wholeAfter([cutAfter(1_000), cutAfter(50_000)]);
  assert.equal(requests, ["HEAD /file", "GET /file", "GET /file bytes=1000-", "GET /file bytes=51000-"]);
  assert.is(server.headers.at(-1)?.["if-range"], `"${server.sha256}"`);
});

test("a silent server counts as a lost connection", async () => {
  server.next.push(silent);
  const to = target();
  await download(to, { timing: { ...timing, stalledMs: 300 } });
  assert.ok(to.bytes().equals(csv));
  assert.is(server.requests.at(-1), "GET /file bytes=10-");
});

test("an address that expires is replaced by a fresh one", async () => {
  const expires: Misbehaviour = (...request) => {
    cutAfter(1_000)(...request);
    server.generation += 1;
  };
  const given: string[] = [];
  server.next.push(expires);
  const url = async () => given[given.push(server.address()) - 1] ?? "";
  const to = target();
  await download(to, { url });
  assert.ok(to.bytes().equals(csv));
  assert.equal(
    given.map((address) => address.split("=")[1]),
    ["1", "2"],
  );
});

test("requests are repeated while a server is unavailable", async () => {
  const requests = await wholeAfter([refuseWith(503, { "Retry-After": "0" }), cutAfter(9), refuseWith(502)]);
  assert.equal(requests, ["HEAD /file", "GET /file", "GET /file", "GET /file bytes=9-", "GET /file bytes=9-"]);
});

test("a server that ignores ranges gives no byte twice", async () => {
  const whole: Misbehaviour = (request, ...rest) => {
    delete request.headers.range;
    sendFile(request, ...rest);
  };
  await wholeAfter([cutAfter(100_000), whole]);
});

test("a download continues what an earlier one left", async () => {
  assert.equal(await wholeAfter([], target(csv.subarray(0, 77))), ["HEAD /file", "GET /file bytes=77-"]);
});

test("a complete file is not downloaded again", async () => {
  assert.equal(await wholeAfter([], target(csv)), ["HEAD /file"]);
});

test("what an earlier download left of another file is replaced", async () => {
  const [, resumed, again] = await wholeAfter([], target("x".repeat(50)));
  assert.equal([resumed, again], ["GET /file bytes=50-", "GET /file"]);
});

test("more than the whole file is replaced", async () => {
  assert.equal(await wholeAfter([], target(Buffer.concat([csv, csv]))), ["HEAD /file", "GET /file"]);
});

test("another file at the same address is refused", async () => {
  const other: Misbehaviour = (_request, response) => void response.setHeader("ETag", `"${"0".repeat(64)}"`).end(csv);
  server.next.push(cutAfter(1_000), other);
  const to = target();
  const message = "ExportNotDownloaded: The server's file is not the one that this download began with.";
  assert.equal([await failureOf(download(to)), to.size()], [message, 0]);
});

test("other bytes than the SHA-256 promises are refused, also where they cannot be taken back", async () => {
  const message = "ExportNotDownloaded: What arrived has another SHA-256 than the server names; it must not be used.";
  for (const to of [target(), target("", false)]) {
    server.next.push((_request, response) => {
      response.setHeader("Repr-Digest", `sha-256=:${Buffer.from(server.sha256, "hex").toString("base64")}:`);
      response.end(Buffer.from(csv).fill("x", 500, 501));
    });
    assert.is(await failureOf(download(to)), message);
    assert.is(to.size(), to.clear === null ? csv.length : 0);
  }
});

test("more bytes than the file has, and another part of it, are refused", async () => {
  const longer: Misbehaviour = (_request, response) =>
    void response.setHeader("ETag", `"${server.sha256}"`).end(Buffer.concat([csv, csv]));
  server.next.push(longer);
  const more = `ExportNotDownloaded: More than the ${csv.length} bytes of the file arrived.`;
  assert.is(await failureOf(download(target())), more);
  const otherPart: Misbehaviour = (_request, response) => {
    const headers = { ETag: `"${server.sha256}"`, "Content-Range": `bytes 0-9/${csv.length}` };
    response.writeHead(206, headers).end("0123456789");
  };
  server.next.push(cutAfter(1_000), otherPart);
  const part = "ExportNotDownloaded: The server sent another part of the file than was requested.";
  assert.is(await failureOf(download(target())), part);
});

test("a server that sends neither length nor SHA-256 is refused", async () => {
  const url = async () => `${server.baseUrl}/odd`;
  const downloading = () => download(target(), { url });
  server.answer = (_request, response) => void response.setHeader("Content-Length", 5).end();
  assert.match(await failureOf(downloading()), /does not say the SHA-256 of the file\.$/);
  server.answer = (_request, response) => void response.setHeader("Transfer-Encoding", "chunked").end();
  assert.match(await failureOf(downloading()), /does not say how long the file is\.$/);
});

test("it stops when nothing has arrived for a while, and gives the reason", async () => {
  const impatient = { ...timing, timeoutMs: 20 };
  const none = /^DownloadExhausted: Nothing has arrived for 0\.02 s: (.*)\.$/;
  const reasonOf = async (to = target()) => none.exec(await failureOf(download(to, { timing: impatient })))?.[1];
  server.next.push(...Array.from({ length: 1_000 }, () => refuseWith(503)));
  assert.is(await reasonOf(), "the server responds with 503");
  server.next.splice(0, Number.POSITIVE_INFINITY, ...Array.from({ length: 1_000 }, () => cutAfter(0)));
  assert.ok(["UND_ERR_SOCKET", "terminated", "ECONNRESET"].includes((await reasonOf()) ?? ""));
  const address = server.address();
  server.address = () => address;
  server.generation += 1;
  assert.is(await reasonOf(), "its addresses have always expired");
  server.stop();
  assert.is(await reasonOf(), "ECONNREFUSED");
});

test("bytes that it has already do not count as arrived", async () => {
  const whole: Misbehaviour = (request, ...rest) => {
    delete request.headers.range;
    cutAfter(1_000)(request, ...rest);
  };
  server.next.push(...Array.from({ length: 10_000 }, () => whole));
  const to = target();
  assert.match(
    await failureOf(download(to, { timing: { ...timing, timeoutMs: 300 } })),
    /^DownloadExhausted: Nothing has arrived for 0\.3 s: /,
  );
  assert.is(to.size(), 1_000);
});

test("any other refusal ends it at once", async () => {
  server.next.push(refuseWith(404));
  assert.match(await failureOf(download(target())), /^ApiRefused: GET: 404/);
  assert.is(server.requests.length, 2);
});

test("a target that fails ends it at once, and closes the connection", async () => {
  const large = await startExportServer(Buffer.alloc(32 * 1024 * 1024));
  const closed = new Promise<void>((resolve) => {
    large.next.push((request, response, it) => {
      request.socket.once("close", () => resolve());
      sendFile(request, response, it);
    });
  });
  const full: DownloadTarget = {
    ...target(),
    write: async () => {
      throw new Error("no space");
    },
  };
  assert.is(await failureOf(download(full, { url: async () => large.address() })), "Error: no space");
  await closed;
  large.stop();
});

test("the server waits for a slow target", async () => {
  const piece = Buffer.alloc(64 * 1024);
  const pieces = 512;
  const content = Buffer.alloc(piece.length * pieces);
  const large = await startExportServer(content);
  let taken = 0;
  let furthestAhead = 0;
  large.next.push((_request, response, { sha256 }) => {
    response.setHeader("ETag", `"${sha256}"`);
    const send = (sent: number): void => {
      furthestAhead = Math.max(furthestAhead, sent * piece.length - taken);
      if (sent === pieces) return void response.end();
      response.write(piece, () => send(sent + 1));
    };
    send(0);
  });
  const slow: DownloadTarget = {
    ...target(),
    size: () => taken,
    write: async (bytes) => {
      for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
      taken += bytes.length;
    },
    sha256: async () => large.sha256,
  };
  await download(slow, { url: async () => large.address() });
  large.stop();
  assert.is(taken, content.length);
  assert.ok(furthestAhead < content.length / 2, `the server was ${furthestAhead} bytes ahead`);
});

const parquetCut: Misbehaviour = (request, response) => {
  response.write(parquet.subarray(0, 1_000), () => request.socket.end());
};
const parquetShort: Misbehaviour = (_request, response) => void response.end(parquet.subarray(0, 1_000));

test("a Parquet file begins again when it is cut, or ends early", async () => {
  server.stop();
  server = await startExportServer(parquet);
  server.next.push(parquetCut, parquetShort);
  const to = target("left by an earlier download");
  const file = await download(to, { format: "parquet" });
  assert.equal(file, { rows: 7, bytes: parquet.length, sha256: server.sha256 });
  assert.ok(to.bytes().equals(parquet));
  assert.equal(server.requests, ["GET /file", "GET /file", "GET /file"]);
});

test("a Parquet file is not restarted endlessly, nor into a target that cannot be cleared", async () => {
  server.stop();
  server = await startExportServer(parquet);
  server.next.push(parquetCut, parquetCut, parquetCut, parquetCut, parquetCut);
  const message = (times: number) =>
    `ExportNotDownloaded: The download was cut ${times} times; a Parquet file cannot be resumed.`;
  assert.is(await failureOf(download(target(), { format: "parquet" })), message(4));
  server.next.splice(0, Number.POSITIVE_INFINITY, parquetCut);
  assert.is(await failureOf(download(target("", false), { format: "parquet" })), message(1));
});

test.run();

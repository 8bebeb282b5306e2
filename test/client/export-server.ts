import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { uuidv7 } from "uuidv7";

/** Answers one request otherwise than a sound server does. */
export type Misbehaviour = (request: IncomingMessage, response: ServerResponse, server: ExportServer) => void;

/** A small server of one export's file, CSV with ranges or Parquet without, that misbehaves as a test wants. */
export interface ExportServer {
  readonly baseUrl: string;
  readonly content: Buffer;
  readonly sha256: string;
  /** Method and path of every request, and the range that it asks for. */
  readonly requests: string[];
  /** Headers of every request. */
  readonly headers: IncomingMessage["headers"][];
  /** For the next downloads in their order, each once. */
  readonly next: Misbehaviour[];
  /** Answers what a status or a request of an export is answered with, the body of the POST for instance. */
  answer: Misbehaviour;
  /** Valid addresses of the file end in this number; to be raised to let those before expire. */
  generation: number;
  address(): string;
  stop(): void;
}

export const reportId = 100_020_400_001;

export function sha256Of(content: Uint8Array | string): string {
  return createHash("sha256").update(content).digest("hex");
}

export async function startExportServer(content: Buffer): Promise<ExportServer> {
  const http = createServer((request, response) => {
    const { method = "", url = "", headers } = request;
    requests.push([method, url.split("?")[0], headers.range].filter((part) => part !== undefined).join(" "));
    server.headers.push(headers);
    response.setHeader("X-Request-Id", uuidv7());
    if (!url.startsWith("/file")) return server.answer(request, response, server);
    if (!url.includes(`generation=${server.generation}`)) {
      return void response.writeHead(403).end(JSON.stringify({ code: "EXPORT_URL_EXPIRED" }));
    }
    const misbehaviour = method === "GET" ? server.next.shift() : undefined;
    (misbehaviour ?? sendFile)(request, response, server);
  });
  const requests: string[] = [];
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  const baseUrl = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const server: ExportServer = {
    baseUrl,
    content,
    sha256: sha256Of(content),
    requests,
    headers: [],
    next: [],
    answer: (_request, response) => void response.end(JSON.stringify({ data: { url: server.address() } })),
    generation: 1,
    address: () => `${baseUrl}/file?generation=${server.generation}`,
    stop: () => {
      http.closeAllConnections();
      http.close();
    },
  };
  return server;
}

/** As read-api/raw-exports/download.ts does. */
export const sendFile: Misbehaviour = (request, response, { content, sha256 }) => {
  response.setHeader("X-Row-Count", 7);
  if (request.url?.includes("format=parquet")) return void response.end(content);
  const [, from] = /^bytes=(\d+)-$/.exec(request.headers.range ?? "") ?? [];
  const isRange = from !== undefined && request.headers["if-range"] === `"${sha256}"`;
  const first = isRange ? Number(from) : 0;
  response.setHeader("ETag", `"${sha256}"`);
  response.setHeader("Content-Length", content.length - first);
  if (isRange) response.setHeader("Content-Range", `bytes ${first}-${content.length - 1}/${content.length}`);
  response.writeHead(isRange ? 206 : 200);
  response.end(request.method === "HEAD" ? undefined : content.subarray(first));
};

/** Sends so many bytes and cuts the connection once they are on their way. */
export function cutAfter(bytes: number): Misbehaviour {
  return (request, response, server) => {
    const first = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? "")?.[1] ?? 0);
    const { content, sha256 } = server;
    response.setHeader("ETag", `"${sha256}"`);
    response.setHeader("Content-Length", content.length - first);
    if (first > 0) response.setHeader("Content-Range", `bytes ${first}-${content.length - 1}/${content.length}`);
    response.writeHead(first > 0 ? 206 : 200);
    response.write(content.subarray(first, first + bytes), () => request.socket.end());
  };
}

/** Answers with a status and headers alone. */
export function refuseWith(status: number, headers: Record<string, string> = {}): Misbehaviour {
  return (_request, response) => void response.writeHead(status, headers).end("{}");
}

import { createHmac } from "node:crypto";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

/** A request as it arrived. */
export interface ReceivedRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Status and headers of a response; null: there is none. */
type ReceiverResponse = { readonly status: number; readonly headers?: Readonly<Record<string, string>> } | null;

/** An HTTP server that webhooks are sent to. `respond` may be replaced at any time. */
interface WebhookReceiver {
  readonly url: string;
  readonly port: number;
  readonly requests: ReceivedRequest[];
  respond: (request: ReceivedRequest) => ReceiverResponse | Promise<ReceiverResponse>;
  close(): Promise<void>;
}

export async function startReceiver(): Promise<WebhookReceiver> {
  const requests: ReceivedRequest[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const received = { path: request.url ?? "", headers: request.headers, body: Buffer.concat(chunks).toString() };
    requests.push(received);
    const answer = await receiver.respond(received);
    if (answer !== null) response.writeHead(answer.status, answer.headers).end("thank you");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const receiver: WebhookReceiver = {
    ...{ url: `http://127.0.0.1:${port}/hook`, port, requests },
    respond: () => ({ status: 204 }),
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return receiver;
}

/** Whether a request has a signature of the secret, as receivers verify it. */
export function isSignedWith({ secret }: { readonly secret: string }, { headers, body }: ReceivedRequest): boolean {
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
  const expected = `v1,${createHmac("sha256", key).update(signed).digest("base64")}`;
  return String(headers["webhook-signature"]).split(" ").includes(expected);
}

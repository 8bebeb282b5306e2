import { request } from "node:http";
import { inflateSync } from "node:zlib";
import { encode } from "uqr";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type LinkApplication, startLinkApplication } from "../../support/link-application.ts";

const qr = suite<{ application: LinkApplication }>("GET /v1/tracking-links/{id}/qr");
let linkId = 0;

qr.before(async (context) => {
  context.application = await startLinkApplication();
  const { call } = context.application;
  const body = { channel: "x", customShortId: "on-a-poster" };
  const { json } = await call("POST", "/v1/tracking-links", { token: "link", body });
  linkId = (json as { data: { trackingLink: { id: number } } }).data.trackingLink.id;
});
qr.after(({ application }) => application.close());

const codeOf = ({ baseUrl }: LinkApplication): readonly (readonly boolean[])[] =>
  encode(`${baseUrl}/l/on-a-poster`, { ecc: "M", border: 4 }).data;

qr("draws the short URL as an SVG of 512 pixels", async ({ application }) => {
  const { status, headers, text } = await application.call("GET", `/v1/tracking-links/${linkId}/qr`, {
    token: "owner",
  });
  assert.equal([status, headers["content-type"]], [200, "image/svg+xml; charset=utf-8"]);
  const code = codeOf(application);
  assert.match(text, `width="512" height="512" viewBox="0 0 ${code.length} ${code.length}"`);
  const drawn = code.map((row) => row.map(() => false));
  for (const [, column, row, run] of text.matchAll(/M(\d+) (\d+)h(\d+)v1h-\d+z/g)) {
    drawn[Number(row)]?.fill(true, Number(column), Number(column) + Number(run));
  }
  assert.equal(drawn, code);
});

for (const size of [64, 200, 1023]) {
  qr(`draws it as a PNG of ${size} pixels, every module a square`, async ({ application }) => {
    const { status, headers, bytes } = await fetchBytes(application, `${linkId}/qr?format=png&size=${size}`);
    assert.equal([status, headers["content-type"]], [200, "image/png"]);
    const code = codeOf(application);
    const scale = Math.floor(size / code.length);
    const margin = Math.floor((size - scale * code.length) / 2);
    const expected = Array.from({ length: size }, (_, row) =>
      Array.from(
        { length: size },
        (_, column) => code[Math.floor((row - margin) / scale)]?.[Math.floor((column - margin) / scale)] ?? false,
      ),
    );
    assert.equal(blackPixels(bytes), expected);
  });
}

qr("accepts every identifier of a link, and validates its parameters", async ({ application }) => {
  const statusOf = async (path: string, token = "owner") =>
    (await application.call("GET", `/v1/tracking-links/${path}`, { token })).status;
  assert.equal(
    await Promise.all([
      statusOf("on-a-poster/qr?idType=shortId"),
      statusOf("on-a-wall/qr?idType=shortId"),
      statusOf(`${linkId}/qr`, "other_owner"),
      statusOf(`${linkId}/qr?format=gif`),
      statusOf(`${linkId}/qr?size=63`),
      statusOf(`${linkId}/qr?size=65`),
      statusOf(`${linkId}/qr?size=2048`),
      statusOf(`${linkId}/qr?size=2049`),
    ]),
    [200, 404, 404, 400, 400, 200, 200, 400],
  );
});

qr.run();

/** The test client reads texts; pictures are bytes. */
function fetchBytes({ baseUrl }: LinkApplication, path: string) {
  return new Promise<{ status: number; headers: { readonly [name: string]: unknown }; bytes: Buffer }>(
    (resolve, reject) => {
      const headers = { Authorization: "Bearer owner" };
      request(`${baseUrl}/v1/tracking-links/${path}`, { headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes: Buffer.concat(chunks) }),
        );
      })
        .on("error", reject)
        .end();
    },
  );
}

/** Reads a PNG of one bit per pixel without filters. */
function blackPixels(png: Buffer): readonly (readonly boolean[])[] {
  const side = png.readUInt32BE(16);
  const pixelsLength = png.readUInt32BE(33);
  const lines = inflateSync(png.subarray(41, 41 + pixelsLength));
  const width = 1 + Math.ceil(side / 8);
  return Array.from({ length: side }, (_, row) =>
    Array.from(
      { length: side },
      (_, column) => ((lines[row * width + 1 + (column >> 3)] ?? 0) & (0x80 >> (column & 7))) === 0,
    ),
  );
}

import * as assert from "uvu/assert";
import { userAgents } from "../../examples/tracking-links.ts";
import { linkSuite } from "../../support/link-application.ts";
import { create, open } from "../../support/visitor.ts";

const impressions = linkSuite("an impression");

impressions("is recorded and answered with a pixel", async ({ application }) => {
  const { link } = await create(application, {});
  const { status, headers } = await open(application, link.impression, userAgents.android);
  const recorded = await application.touchpoints();
  assert.equal([status, headers["content-type"], headers["cache-control"]], [200, "image/gif", "no-store"]);
  assert.equal(
    recorded.map(({ type, data }) => [type, data.origin, data.destination, data.os]),
    [["ImpressionRecorded", "view", null, "Android"]],
  );
});

impressions("shows one transparent dot, drawn in full", async ({ application }) => {
  const { link } = await create(application, {});
  const answer = await fetch(link.impression);
  const gif = Buffer.from(await answer.arrayBuffer());
  assert.is(answer.headers.get("content-length"), String(gif.length));
  assert.equal(readDot(gif), {
    signature: "GIF89a",
    screen: [1, 1],
    transparentColor: 0,
    image: { at: [0, 0], size: [1, 1] },
    codes: ["clear", 0, "end"],
  });
});

impressions.run();

/**
 * Reads a GIF of one image whose two colors stand at its beginning, block by block; throws where a block is another or
 * anything is missing or left over.
 */
function readDot(gif: Buffer) {
  const words = (at: number) => [gif.readUInt16LE(at), gif.readUInt16LE(at + 2)];
  // A header of 13 bytes and two colors of 3 stand before.
  const [control, image] = [19, 27];
  assert.is(gif.readUInt8(10) & 0x87, 0x80, "a table of two colors");
  assert.is(gif.toString("hex", control, control + 4), "21f90401", "a graphic control with a transparent color");
  assert.is(gif.readUInt8(image), 0x2c, "an image");
  assert.is(gif.readUInt8(image + 9), 0, "neither interlaced nor with colors of its own");
  const data = image + 10;
  const length = gif.readUInt8(data + 1);
  const end = data + 2 + length;
  assert.is(gif.toString("hex", end), "003b", "the end of the data and of the file");
  return {
    signature: gif.toString("latin1", 0, 6),
    screen: words(6),
    transparentColor: gif.readUInt8(control + 6),
    image: { at: words(image + 1), size: words(image + 5) },
    codes: lzwCodes(gif.readUInt8(data), gif.subarray(data + 2, end)),
  };
}

/** The codes of compressed pixels, too few to make the codes grow, as far as the one that ends them. */
function lzwCodes(pixelBits: number, bytes: Buffer): readonly (number | "clear" | "end")[] {
  const bits = [...bytes].flatMap((byte) => Array.from({ length: 8 }, (_, bit) => (byte >> bit) & 1));
  const codes: (number | "clear" | "end")[] = [];
  for (let at = 0; at + pixelBits < bits.length && codes.at(-1) !== "end"; at += pixelBits + 1) {
    const code = bits.slice(at, at + pixelBits + 1).reduce((sum, bit, place) => sum + (bit << place), 0);
    codes.push(code === 1 << pixelBits ? "clear" : code === (1 << pixelBits) + 1 ? "end" : code);
  }
  return codes;
}

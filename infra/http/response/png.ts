import { promisify } from "node:util";
import { crc32, deflate } from "node:zlib";

const compress = promisify(deflate);
const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** A square of black and white fields, such as a QR code. */
export interface Fields {
  /** Fields, width and height. */
  readonly side: number;
  isBlack(row: number, column: number): boolean;
}

/**
 * Fields as a PNG of one bit per pixel.
 * @param size width and height in pixels, at least `fields.side`. All fields have the same size; the rest is a white
 *   margin
 */
export async function blackAndWhitePng(fields: Fields, size: number): Promise<Buffer> {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  // One bit per pixel; the rest is 0: greyscale, deflate, no filter of its own, not interlaced.
  header.writeUInt8(1, 8);
  const pixels = await compress(scanLines(fields, size));
  return Buffer.concat([signature, chunk("IHDR", header), chunk("IDAT", pixels), chunk("IEND", Buffer.alloc(0))]);
}

/** A byte 0 (no filter) before each row of pixels; a set bit is white. */
function scanLines({ side, isBlack }: Fields, size: number): Buffer {
  const scale = Math.floor(size / side);
  const margin = Math.floor((size - scale * side) / 2);
  const blank = Buffer.alloc(1 + Math.ceil(size / 8), 0xff);
  blank.writeUInt8(0, 0);
  const lines = Array.from({ length: size }, () => blank);
  for (let row = 0; row < side; row += 1) {
    const line = Buffer.from(blank);
    for (let pixel = 0; pixel < scale * side; pixel += 1) {
      const at = 1 + ((margin + pixel) >> 3);
      const bit = 0x80 >> ((margin + pixel) & 7);
      if (isBlack(row, Math.floor(pixel / scale))) line[at] = (line[at] ?? 0) & ~bit;
    }
    lines.fill(line, margin + row * scale, margin + (row + 1) * scale);
  }
  return Buffer.concat(lines);
}

function chunk(type: string, data: Buffer): Buffer {
  const framed = Buffer.alloc(data.length + 12);
  framed.writeUInt32BE(data.length, 0);
  framed.write(type, 4, "latin1");
  data.copy(framed, 8);
  framed.writeUInt32BE(crc32(framed.subarray(4, data.length + 8)), data.length + 8);
  return framed;
}

import { encode } from "uqr";
import { blackAndWhitePng, type Fields } from "../../infra/http/response/png.ts";

/** Modules without ink around the code that readers need to find it. */
const quietZone = 4;

/** A QR code's modules, its quiet zone included. */
export type QrCode = Fields;

/** The QR code of a text: level M, of which 15 % may be torn or dirty. */
export function qrCode(text: string): QrCode {
  const { size, data } = encode(text, { ecc: "M", border: quietZone });
  return { side: size, isBlack: (row, column) => data[row]?.[column] ?? false };
}

/** The code as an SVG document of `size` pixels, width and height; it stays sharp at any other. */
export function qrSvg({ side, isBlack }: QrCode, size: number): string {
  let path = "";
  for (let row = 0; row < side; row += 1) {
    for (let column = 0; column < side; column += 1) {
      if (!isBlack(row, column)) continue;
      const start = column;
      while (isBlack(row, column + 1)) column += 1;
      const run = column - start + 1;
      path += `M${start} ${row}h${run}v1h-${run}z`;
    }
  }
  const box = `width="${size}" height="${size}" viewBox="0 0 ${side} ${side}"`;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" ${box} shape-rendering="crispEdges">` +
    `<path fill="#fff" d="M0 0h${side}v${side}h-${side}z"/><path d="${path}"/></svg>`
  );
}

/** The code as a PNG of `size` pixels, width and height: at least its side. */
export async function qrPng(code: QrCode, size: number): Promise<Uint8Array> {
  return blackAndWhitePng(code, size);
}

export interface Part {
  /** Header lines, as they are written. */
  readonly headers: readonly string[];
  readonly content: Buffer;
}

export interface Form {
  readonly headers: { readonly "Content-Type": string };
  readonly body: Buffer;
}

export const boundary = "----boundary-of-the-tests";

/** A `multipart/form-data` body, byte for byte, and the header that goes with it. */
export function form(parts: readonly Part[], between = boundary): Form {
  const written = parts.flatMap(({ headers, content }) => [
    Buffer.from(`--${between}\r\n${headers.map((line) => `${line}\r\n`).join("")}\r\n`),
    content,
    Buffer.from("\r\n"),
  ]);
  return {
    headers: { "Content-Type": `multipart/form-data; charset=utf-8; boundary=${between}` },
    body: Buffer.concat([...written, Buffer.from(`--${between}--\r\n`)]),
  };
}

export function filePart(content: string | Buffer, fileName = "spend.csv", field = "file"): Part {
  return {
    headers: [`Content-Disposition: form-data; name="${field}"; filename="${fileName}"`, "Content-Type: text/csv"],
    content: Buffer.from(content),
  };
}

export function fieldPart(name: string, value: string): Part {
  return { headers: [`Content-Disposition: form-data; name="${name}"`], content: Buffer.from(value) };
}

/** A part that names its file in a way of its own: what follows `filename` in its disposition. */
export function namedPart(spelling: string): Part {
  return { headers: [`Content-Disposition: form-data; name="file"; filename${spelling}`], content: Buffer.from("a") };
}

/** A form with one file, in a body of so many bytes. */
export function formOf(bytes: number): Form {
  const empty = form([filePart("")]).body.length;
  return form([filePart("x".repeat(bytes - empty))]);
}

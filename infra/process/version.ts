import { readFileSync } from "node:fs";

const { version: packaged }: { version: string } = JSON.parse(
  readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
);

/** Of Touchledger. */
export const version = packaged;

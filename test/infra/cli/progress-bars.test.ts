import { suite } from "uvu";
import * as assert from "uvu/assert";
import { buildProgress, countBars, downloadBar, stepBars, uploadBar } from "../../../infra/cli/progress-bars.ts";

const bars = suite("progress bars on a terminal");

bars("change no settings of the terminal, which a signal would leave so", () => {
  const { stderr } = process;
  const { isTTY, write } = stderr;
  const written: string[] = [];
  stderr.isTTY = true;
  stderr.write = (text: string | Uint8Array) => written.push(String(text)) > 0;
  try {
    const [build, steps, upload, download] = [buildProgress(), stepBars(), uploadBar(), downloadBar()];
    const counts = countBars({ links: 2 });
    build.show("control", { events: 1, of: 2 });
    steps.show("copying", 0.5);
    upload.show("validated");
    download.show(1, 2);
    counts.show("links", 1);
    for (const each of [build, steps, upload, download, counts]) each.stop();
  } finally {
    Object.assign(stderr, { isTTY, write });
  }
  for (const shown of ["control ", "copying ", "validated", "0.0 MB", "links "]) assert.match(written.join(""), shown);
  assert.equal(written.join("").match(/\[\?\d+[hl]/g), null);
});

bars.run();

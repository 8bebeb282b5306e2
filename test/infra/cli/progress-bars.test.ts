import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  buildLines,
  buildProgress,
  countBars,
  downloadBar,
  stepBars,
  uploadBar,
} from "../../../infra/cli/progress-bars.ts";

const progress = suite("progress of a build without a terminal");

progress("is a line at the beginning of each group, every ten seconds, and at its end", () => {
  let ms = 0;
  const lines: string[] = [];
  const { show, stop } = buildLines(
    (line) => lines.push(line),
    () => ms,
  );
  for (const [at, group, events] of [
    [0, "control", 0],
    [9_999, "control", 800],
    [10_000, "control", 1_000],
    [19_999, "control", 1_900],
    [20_000, "control", 2_000],
    [21_000, "control", 2_100],
    [22_000, "facts", 0],
    [25_000, "facts", 600],
  ] as const) {
    ms = at;
    show(group, { events, of: 2_050 });
  }
  stop();
  stop();
  assert.equal(lines, [
    "control: 0/2050 events, - events/s\n",
    "control: 1000/2050 events, 100 events/s\n",
    "control: 2000/2050 events, 100 events/s\n",
    "control: 2100/2100 events, 100 events/s\n",
    "facts: 0/2050 events, - events/s\n",
    "facts: 600/2050 events, 200 events/s\n",
  ]);
});

progress.run();

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

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { buildLines } from "../../../infra/cli/progress-bars.ts";

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

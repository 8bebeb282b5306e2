// time limit: 10 s
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { breachesIn, conclude, type Evidence } from "./verdict.ts";

/** A run in which nothing was lost: two clicks and three events, and a visit that nobody answered. */
const sound: Evidence = {
  clicks: new Set(["click-1", "click-2"]),
  events: new Set(["event-1", "event-2", "event-3"]),
  unansweredVisits: 1,
  late: [],
  loggedClicks: ["click-1", "unanswered", "click-2"],
  loggedEvents: new Set(["event-1", "event-2", "event-3"]),
  counted: { clicks: 3, installs: 3 },
  reports: [{ asOf: "12", saved: '{"rows":[1]}', again: '{"rows":[1]}' }],
  log: ["registered", "visited", "installed"],
  backups: [
    {
      promised: ["event-1"],
      failure: "",
      logged: [
        { id: "registered", eventId: null },
        { id: "visited", eventId: "event-1" },
      ],
    },
  ],
  poisoned: new Set(["17"]),
  parked: new Set(["17"]),
  breaches: [],
  verify: { code: 1, out: "same\nEvents left out of the read models and of the replay (1):\n  facts 17", err: "" },
  outputs: ["The server is ready.\n"],
};

/** What can be lost, and every breach that it is. */
const losses: readonly (readonly [string, Partial<Evidence>, readonly string[]])[] = [
  [
    "an acknowledged click that is not in the log",
    { loggedClicks: ["click-1", "unanswered"] },
    ["lost: 1 click (click-2)", "the report counts 3 clicks of 2"],
  ],
  [
    "an acknowledged event that is not in the log",
    { loggedEvents: new Set(["event-1", "event-3"]) },
    ["lost: 1 event (event-2)"],
  ],
  [
    "a click that is in the log twice",
    { loggedClicks: ["click-1", "unanswered", "click-2", "click-1"] },
    ["doubled: 1 click (click-1)"],
  ],
  ["a click that a report counts twice", { counted: { clicks: 4, installs: 3 } }, ["the report counts 4 clicks of 3"]],
  ["an event that no report counts", { counted: { clicks: 3, installs: 2 } }, ["the report counts 2 installs of 3"]],
  ["a click of no visit", { unansweredVisits: 0 }, ["the log has 3 clicks of 2 visits"]],
  [
    "a saved report of which one byte has changed",
    { reports: [...sound.reports, { asOf: "34", saved: '{"rows":[1]}', again: '{"rows":[2]}' }] },
    ["the report as of 34 has changed"],
  ],
  [
    "an unhandled rejection",
    { outputs: [...sound.outputs, 'ready\n{"level":60,"msg":"Unhandled rejection"}\nended\n'] },
    ['{"level":60,"msg":"Unhandled rejection"}'],
  ],
  ["poison that is not parked", { poisoned: new Set(["17", "18"]) }, ["the poison at 18 is not parked"]],
  ["an event that is parked and no poison", { poisoned: new Set() }, ["the event at 17 is parked"]],
  [
    "a verification without a difference that is none",
    { poisoned: new Set(), parked: new Set() },
    ["verify: same\nEvents left out of the read models and of the replay (1):\n  facts 17"],
  ],
  [
    "a backup without an event that was acknowledged before it began",
    {
      backups: [{ promised: ["event-1", "event-2"], failure: "", logged: [{ id: "registered", eventId: "event-2" }] }],
    },
    ["not in a backup: 1 event (event-1)"],
  ],
  [
    "a backup that is not the beginning of the log",
    { backups: [{ promised: [], failure: "", logged: [{ id: "visited", eventId: null }] }] },
    ["a backup is not the beginning of the log"],
  ],
  [
    "a backup that cannot be restored",
    { backups: [{ promised: ["event-1"], failure: "It is damaged.", logged: [] }] },
    ["a backup: It is damaged."],
  ],
  ["what a fault has seen", { breaches: ["a cut event store: it started"] }, ["a cut event store: it started"]],
  ["an uncaught exception", { outputs: ["Uncaught exception\n"] }, ["Uncaught exception"]],
  ["an answer over 5 s", { late: ["/l/k3f9: 302 after 5001 ms"] }, ["late: /l/k3f9: 302 after 5001 ms"]],
  [
    "a read model that is not the same as its replay",
    { verify: { code: 1, out: "facts.touchpoints 3 2 DIFFERS\n", err: "" } },
    ["verify: facts.touchpoints 3 2 DIFFERS\n"],
  ],
  [
    "many lost clicks, of which three are named",
    { clicks: new Set(["click-1", "click-2", "a", "b", "c", "d"]) },
    ["lost: 4 clicks (a, b, c and others)"],
  ],
];

const verdict = suite("the verdict of npm run torture");

verdict("is exit code 0 when nothing was lost", () => {
  const lines: string[] = [];
  assert.is(
    conclude(sound, (line) => lines.push(line)),
    0,
  );
  assert.equal(lines, ["Everything acknowledged is counted once."]);
});

for (const [loss, planted, breaches] of losses) {
  verdict(`names ${loss}, and is exit code 1`, () => {
    const lines: string[] = [];
    const evidence = { ...sound, ...planted };
    assert.equal(breachesIn(evidence), breaches);
    assert.is(
      conclude(evidence, (line) => lines.push(line)),
      1,
    );
    assert.equal(lines, [`Breaches:\n${breaches.join("\n")}`]);
  });
}

verdict.run();

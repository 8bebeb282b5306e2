import { suite } from "uvu";
import * as assert from "uvu/assert";
import { durableCommits } from "../../../infra/data-directory/durable-commits.ts";

const options = suite("the options of durable commits");

// No test that kills a process sees another value: what the process wrote is then in the page cache of the operating
// system, which only a power failure loses.
options("turn off overlapping syncs and batching by event turn", () => {
  assert.equal(durableCommits, { overlappingSync: false, eventTurnBatching: false });
});

options.run();

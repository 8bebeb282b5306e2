import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Attempt } from "../../../commands/reactors/reactor.ts";
import type { RecordedEvent } from "../../../domain/event-catalogue.ts";
import { installVectors } from "../../../infra/jobs/install-vectors.ts";
import { anInstall, anOrder } from "../../examples/app-events.ts";

const attempt: Attempt = { epoch: 1n, signal: AbortSignal.timeout(10_000) };

const vectors = suite("the features of installs");

vectors("are stored for 200 installs at a time, while there are installs without them", async () => {
  let open = 250;
  const reactor = installVectors({
    hasOpen: async () => open > 0,
    fill: async (max) => {
      open -= Math.min(open, max);
    },
  });
  const left: number[] = [];
  for (let work = await reactor.open(1); work[0] !== undefined; work = await reactor.open(1)) {
    assert.is(await reactor.act(work[0], attempt), null);
    left.push(open);
  }
  assert.equal(left, [50, 0]);
});

vectors("are computed after each install", () => {
  const reactor = installVectors({ hasOpen: async () => false, fill: async () => undefined });
  const wakes = [anInstall(), anOrder()].map((event) => reactor.adds(event as RecordedEvent));
  assert.equal(wakes, [true, false]);
});

vectors.run();

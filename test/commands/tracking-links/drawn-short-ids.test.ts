import { suite } from "uvu";
import * as assert from "uvu/assert";
import { derivedUuid } from "../../../commands/derived-ids.ts";
import { StreamTooBusy } from "../../../commands/handle-command.ts";
import { createLink } from "../../../commands/tracking-links/create-link.ts";
import { drawShortId } from "../../../domain/tracking-links/link-ids.ts";
import type { EventLog } from "../../../infra/event-log/event-log.ts";
import { shop } from "../../examples/app.ts";
import { operatorCause } from "../../examples/cause.ts";
import { sha256 } from "../../examples/tracking-links.ts";
import { startTestLog } from "../../support/event-store.ts";

const drawing = suite<{ log: EventLog; close: () => Promise<void> }>("a random short id");

drawing.before(async (context) => {
  Object.assign(context, await startTestLog());
});
drawing.after(({ close }) => close());

const drawOf = (commandId: string, draw: number): string => drawShortId(sha256(`${commandId}\nshortId\n${draw}`));

function create(log: EventLog, commandId: string, customShortId: string | null = null) {
  const link = {
    appId: shop.appId,
    stores: [],
    channelType: "custom",
    request: { channel: "x" },
    customShortId,
  } as const;
  return createLink(log, commandId, link, operatorCause);
}

/** Creates links with the first short ids that a command draws. */
async function takeDraws(log: EventLog, commandId: string, count: number): Promise<void> {
  for (let draw = 0; draw < count; draw += 1) {
    await create(log, derivedUuid(commandId, "taker", draw), drawOf(commandId, draw));
  }
}

for (const taken of [0, 1, 2, 10, 11]) {
  drawing(
    `is the first free one of its draws when ${taken} are taken, also on a retry of the command`,
    async ({ log }) => {
      const commandId = derivedUuid("drawn", "command", taken);
      await takeDraws(log, commandId, taken);
      const answers = [await create(log, commandId), await create(log, commandId)];
      assert.equal(
        answers.map((answer) => answer.outcome === "created" && answer.link.shortId),
        [drawOf(commandId, taken), drawOf(commandId, taken)],
      );
    },
  );
}

drawing("is drawn at most 12 times; then the command fails as too busy", async ({ log }) => {
  const commandId = derivedUuid("drawn", "command", 12);
  await takeDraws(log, commandId, 12);
  const failure = await create(log, commandId).catch((error: unknown) => error);
  assert.instance(failure, StreamTooBusy);
});

drawing.run();

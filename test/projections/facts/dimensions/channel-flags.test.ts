import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { customChannel } from "../../../../domain/channels/channel-name.ts";
import type { ChannelEvent } from "../../../../domain/channels/events.ts";
import { inForce } from "../../../../projections/in-force.ts";
import { recordedLog } from "../../../examples/recorded-log.ts";
import { assertSameInAnySplit, createFacts, openTestDatabase } from "../facts-tables.ts";

const db = await openTestDatabase();
const tables = await createFacts(db);
const split = await createFacts(db);

const flagged = (type: ChannelEvent["type"], name: string, selfAttributing: boolean): ChannelEvent => ({
  type,
  data: { ...customChannel(name), selfAttributing },
});

const flags = suite("flags of channels");
flags.before.each(() => tables.clear());
flags.after(() => db.destroy());

flags("are in force from the position of their event up to that of the next event of the channel", async () => {
  await tables.apply(
    recordedLog([
      flagged("ChannelRegistered", "friends", true),
      flagged("ChannelChanged", "facebook.business", false),
      flagged("ChannelChanged", "friends", false),
      flagged("ChannelChanged", "friends", true),
    ]),
  );
  const columns = ["channel", "from_position", "to_position", "self_attributing"];
  assert.equal(
    (await tables.rows("channel_flags", ...columns)).map((row) => columns.map((column) => row[column])),
    [
      ["facebook.business", 200n, inForce, false],
      ["friends", 100n, 300n, true],
      ["friends", 300n, 400n, false],
      ["friends", 400n, inForce, true],
    ],
  );
});

flags("are the same in any split into batches, some applied twice, and from the middle again", async () => {
  const change = fc.tuple(
    fc.constantFrom("ChannelRegistered" as const, "ChannelChanged" as const),
    fc.constantFrom("friends", "family", "twitter"),
    fc.boolean(),
  );
  const anyLog = fc.array(change, { minLength: 1, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(anyLog, fc.infiniteStream(fc.integer({ min: 1, max: 4 })), async (changes, sizes) => {
      await assertSameInAnySplit([tables, split], recordedLog(changes.map((one) => flagged(...one))), sizes);
    }),
    { numRuns: 15 },
  );
});

flags.run();

import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { customChannel } from "../../../../domain/channels/channel-name.ts";
import type { ChannelEvent } from "../../../../domain/channels/events.ts";
import { facts } from "../../../../projections/facts/projection.ts";
import { inForce } from "../../../../projections/facts/table.ts";
import { recordedLog } from "../../../examples/recorded-log.ts";
import { assertSameRowsForAnySplit } from "../../split-property.ts";
import { createFacts, openTestDatabase } from "../facts-tables.ts";

const db = await openTestDatabase();
const tables = await createFacts(db);

const saying = (type: ChannelEvent["type"], name: string, selfAttributing: boolean): ChannelEvent => ({
  type,
  data: { ...customChannel(name), selfAttributing },
});

const flags = suite("flags of channels");
flags.before.each(() => tables.clear());
flags.after(() => db.destroy());

flags("are in force from the position at which they were said, up to where something else was", async () => {
  await tables.apply(
    recordedLog([
      saying("ChannelRegistered", "friends", true),
      saying("ChannelChanged", "facebook.business", false),
      saying("ChannelChanged", "friends", false),
      saying("ChannelChanged", "friends", true),
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

flags("are the same in any split into batches, and when some are applied again", async () => {
  const said = fc.sample(
    fc.tuple(
      fc.constantFrom("ChannelRegistered" as const, "ChannelChanged" as const),
      fc.constantFrom("friends", "family", "twitter"),
      fc.boolean(),
    ),
    { numRuns: 20, seed: 7 },
  );
  await assertSameRowsForAnySplit(db, facts, recordedLog(said.map((one) => saying(...one))), 8);
});

flags.run();

import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  isRestricted,
  isSelfAttributing,
  isSmallMonth,
} from "../../../../projections/reports/masking/restricted-touchpoints.ts";
import { openReportFacts } from "../report-facts.ts";
import { enough } from "./networks.ts";

const usual = { appId: 1, channel: "twitter", dates: ["2026-03-10"], today: "2026-04-10", position: 9n };
const facts = await openReportFacts((readModel, question: Partial<typeof usual>) => {
  const { position, ...query } = { ...usual, ...question };
  return isRestricted(
    {
      isSelfAttributing: (channel) => isSelfAttributing(readModel, { channel, position }),
      isSmallMonth: (appId, channel, month) => isSmallMonth(readModel, { appId, channel, month, position }),
    },
    query,
  );
});
const restricted = facts.answer;

const { impressions, installs } = enough;
const large = { touchpoints: impressions, appEvents: installs };

const restriction = suite("data of a winner");
restriction.after(() => facts.close());

restriction("are restricted by the whole month of any of their dates", async () => {
  const [march, february] = ["2026-03-01", "2026-02-28"];
  const questions = [[march], [february], [march, february], [february, march]].map((dates) => ({ dates }));
  assert.equal(await restricted(large, ...questions), [false, true, true, true]);
});

restriction("are restricted when any of their dates is more than 175 days old", async () => {
  const questions = [["2026-03-10"], ["2026-03-09", "2026-03-10"]].map((dates) => ({ dates, today: "2026-09-01" }));
  assert.equal(await restricted(large, ...questions), [false, true]);
});

restriction("are restricted when they are more than 175 days old, however large the month is", async () => {
  const days = ["2026-08-31", "2026-09-01", "2026-09-02"].map((today) => ({ today }));
  assert.equal(await restricted(large, ...days), [false, false, true]);
});

restriction("are restricted only for channels that are self-attributing at the position", async () => {
  const channelFlags = [
    { channel: "twitter", selfAttributing: false, from: 3, to: 5 },
    { channel: "twitter", selfAttributing: true, from: 5, to: null },
    { channel: "partner", selfAttributing: true, from: 4, to: null },
  ];
  const at = (channel: string, position: bigint) => ({ channel, position, today: "2027-03-10" });
  const questions = [at("twitter", 2n), at("twitter", 3n), at("twitter", 5n), at("partner", 3n), at("partner", 4n)];
  assert.equal(await restricted({ touchpoints: [], appEvents: [], channelFlags }, ...questions), [
    true,
    false,
    true,
    false,
    true,
  ]);
});

restriction.run();

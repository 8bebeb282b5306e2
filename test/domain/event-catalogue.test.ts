import { suite } from "uvu";
import * as assert from "uvu/assert";
import { eventsOfType } from "../../domain/event-catalogue.ts";
import { isInCategory } from "../../domain/streams.ts";
import { recordedAt, recordedLog } from "../examples/recorded-log.ts";
import { aClick, anImpression } from "../examples/touchpoints.ts";

const catalogue = suite("the event catalogue");

catalogue("picks events by their types, in their order", () => {
  const log = recordedLog([aClick({ touchpointId: "1" }), anImpression(), aClick({ touchpointId: "2" })]);
  assert.equal(
    eventsOfType(log, "ClickRecorded").map(({ data }) => data.touchpointId),
    ["1", "2"],
  );
});

catalogue("knows the category of an event's stream", () => {
  const click = { ...recordedAt(1n, aClick()), stream: "touchpoints-1_w" };
  assert.equal([isInCategory(click, "touchpoints"), isInCategory(click, "token")], [true, false]);
});

catalogue.run();

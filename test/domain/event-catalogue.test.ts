import { suite } from "uvu";
import * as assert from "uvu/assert";
import { eventsOfType, storedType, upcast } from "../../domain/event-catalogue.ts";
import { isInCategory } from "../../domain/streams.ts";
import { recordedAt, recordedLog } from "../examples/recorded-log.ts";
import { aClick, anImpression } from "../examples/touchpoints.ts";

const catalogue = suite("the event catalogue");

catalogue("brings data of any version to the current one", () => {
  const renamed = storedType(
    (data) => ({ ...Object(data), second: true }),
    (data) => ({ ...Object(data), third: true }),
  );
  assert.is(renamed.version, 3);
  assert.equal(
    [1, 2, 3, 4].map((version) => upcast(renamed, { version }, version)),
    [{ version: 1, second: true, third: true }, { version: 2, third: true }, { version: 3 }, { version: 4 }],
  );
});

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

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { unusableStore } from "../../../infra/event-log/unusable-event-store.ts";

const test = suite("advice for an event store that cannot be used");

test("a disk that is nearly full is named with its setting", () => {
  const { message } = unusableStore(new Error("the disk of the event store is nearly full"));
  assert.match(message, "The event store cannot be used. Free space on its disk, or lower DISK_RESERVE_MB");
});

test("a damaged event is not taken for a wrong address", () => {
  const { message } = unusableStore(new Error("13 INTERNAL: the event at position 7 is damaged: restore a backup"));
  assert.match(
    message,
    "cannot be used. touchledger verify --log names what else is damaged. (13 INTERNAL: the event at",
  );
});

test("a certificate that has expired is not taken for one of an unknown authority", () => {
  const { message } = unusableStore(new Error("14 UNAVAILABLE: Last error: Error: certificate has expired."));
  assert.match(message, "The event store cannot be used. Its certificate is not valid today: renew it there");
});

test.run();

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { noteUnanswered } from "../../../commands/journals/unanswered-appends.ts";
import { appEventJournal } from "../../../domain/streams.ts";
import { type Appended, EventLogUnavailable } from "../../../infra/event-log/event-log.ts";

const stream = appEventJournal(1, "w");
const appended: Appended = { outcome: "appended", revision: 0n, position: { commit: 1n, prepare: 1n } };

/** A log whose appends wait until the test answers them, oldest first. */
function givenLog() {
  const waiting: ((answer: Promise<Appended>) => void)[] = [];
  const noted = noteUnanswered({
    append: () => new Promise((resolve) => waiting.push(resolve)),
    read: async function* () {},
  });
  return {
    append: () => noted.log.append(stream, "no_stream", []),
    answer: (answer: Promise<Appended>) => waiting.shift()?.(answer),
    answered: (of = stream) => noted.answered(of),
  };
}

const unanswered = suite("unanswered appends");

unanswered("of a stream are over when the last one is answered, whatever the answer", async () => {
  const { append, answer, answered } = givenLog();
  const [first, last] = [append(), append()];
  const seen: string[] = [];
  const over = answered().then(() => seen.push("answered"));
  answer(Promise.resolve(appended));
  await first;
  await answered(appEventJournal(2, "w"));
  const later = answered().then(() => seen.push("answered later"));
  assert.equal(seen, []);
  answer(Promise.reject(new EventLogUnavailable("no answer in time")));
  assert.instance(await last.catch((error: unknown) => error), EventLogUnavailable);
  await Promise.all([over, later, answered()]);
  assert.equal(seen, ["answered", "answered later"]);
});

unanswered.run();

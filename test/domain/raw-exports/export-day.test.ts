import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { ExportCompleted, ExportFailed, RawExportEvent } from "../../../domain/raw-exports/events.ts";
import { type ExportDayCommand, exportDay } from "../../../domain/raw-exports/export-day.ts";
import { anExportRequest, exportId as idOf } from "../../examples/tasks.ts";
import { addRules, historyOf, specification } from "../../support/decider-specification.ts";

const date = "2026-03-31";
const requested = (number: number, reportId = idOf(number)) => anExportRequest(number, { reportId });
const request = (number: number): ExportDayCommand => {
  const { reportId: _reportId, ...data } = requested(number).data;
  return { type: "RequestExport", data: { ...data, date } };
};
const completed = (number: number): ExportCompleted => ({
  type: "ExportCompleted",
  data: {
    reportId: idOf(number),
    rows: 2,
    bytes: 100,
    sha256: "ab".repeat(32),
    resumePoints: [],
    endedAt: "2026-03-31T03:00:02.000Z",
  },
});
const failed = (number: number, reason: ExportFailed["data"]["reason"] = "facts_behind"): ExportFailed => ({
  type: "ExportFailed",
  data: { reportId: idOf(number), reason, endedAt: "2026-03-31T03:01:02.000Z" },
});
const complete = (number: number): ExportDayCommand => ({ type: "CompleteExport", data: completed(number).data });
const fail = (number: number): ExportDayCommand => ({ type: "FailExport", data: failed(number).data });

const requests = (count: number): readonly RawExportEvent[] =>
  Array.from({ length: count }, (_, index) => requested(index + 1));
const limit = { rejected: "EXPORT_LIMIT_REACHED" } as const;
const otherwise = { rejected: "EXPORT_ENDED_OTHERWISE" } as const;
const notRequested = { rejected: "EXPORT_NOT_REQUESTED" } as const;
const fullAndEnded = requests(100).flatMap((event, index) => {
  return [event, index % 2 ? completed(index + 1) : failed(index + 1)];
});

const day = suite("the exports of a day");

addRules(day, exportDay, [
  ["are numbered from 1", [], request(1), [requested(1)]],
  ["are numbered in the order of their requests", [requested(1)], request(2), [requested(2)]],
  ["keep their numbers", [requested(1), completed(1), requested(2), failed(2)], request(3), [requested(3)]],
  ["are at most 100", requests(99), request(100), [requested(100)]],
  ["are not more than 100", requests(100), request(101), limit],
  ["are not more than 100, even when they have ended", fullAndEnded, request(101), limit],
  ["are one for a repeated command", [requested(1)], request(1), []],
  ["are one for a command repeated after its success", [requested(1), completed(1), requested(2)], request(1), []],
  ["are one for a command repeated after its failure", [requested(1), failed(1)], request(1), []],
  ["are one for the first command when the day is full", requests(100), request(1), []],
  ["are one for the last command when the day is full", requests(100), request(100), []],
  ["complete", requests(3), complete(2), [completed(2)]],
  ["fail", requests(3), fail(2), [failed(2)]],
  ["complete independently", [...requests(3), completed(2)], complete(3), [completed(3)]],
  ["fail independently", [...requests(3), completed(2)], fail(1), [failed(1)]],
  ["keep their success", [requested(1), completed(1)], fail(1), otherwise],
  ["keep their failure", [requested(1), failed(1)], complete(1), otherwise],
  ["complete once", [requested(1), completed(1)], complete(1), []],
  ["fail once", [requested(1), failed(1, "internal_error")], fail(1), []],
]);

day("cannot end before they were requested", () => {
  for (const command of [complete(2), fail(2)]) {
    for (const history of [[], [requested(1)]]) {
      specification(exportDay)
        .given(...history)
        .when(command)
        .then(notRequested);
    }
  }
});

const anyCommand = fc
  .tuple(fc.constantFrom(request, complete, fail), fc.integer({ min: 1, max: 4 }))
  .map(([make, number]) => make(number));

day("are the same whether each command is handled once or twice", () => {
  fc.assert(
    fc.property(fc.array(anyCommand, { maxLength: 12 }), (commands) => {
      const once = historyOf(exportDay, commands);
      assert.equal(
        historyOf(
          exportDay,
          commands.flatMap((command) => [command, command]),
        ),
        once,
      );
      assert.equal(
        historyOf(exportDay, [...commands, ...commands.filter(({ type }) => type === "RequestExport")]),
        once,
      );
    }),
  );
});

day("have ids in the order of their requests, and end at most once each", () => {
  fc.assert(
    fc.property(fc.array(anyCommand, { maxLength: 20 }), (commands) => {
      const events = historyOf(exportDay, commands);
      const requests = events.filter(({ type }) => type === "ExportRequested").map(({ data }) => data.reportId);
      const ends = events.filter(({ type }) => type !== "ExportRequested").map(({ data }) => data.reportId);
      assert.equal(
        requests,
        requests.map((_, index) => idOf(index + 1)),
      );
      assert.is(new Set(ends).size, ends.length);
      assert.ok(ends.every((id) => requests.includes(id)));
    }),
  );
});

day.run();

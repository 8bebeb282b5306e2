import { suite } from "uvu";
import * as assert from "uvu/assert";
import { printTable } from "../../../infra/cli/terminal-text.ts";

const table = suite("a table on a terminal");

function linesOf(...table: Parameters<typeof printTable>): readonly string[] {
  const lines: string[] = [];
  const [header, rows] = table;
  printTable(header, rows, (line) => lines.push(line));
  return lines;
}

table("has columns as wide as their letters, of which those of Korean take two places", () => {
  assert.equal(
    linesOf(
      ["channel", "clicks"],
      [
        ["네이버", 7],
        ["newsletter", { number: "12.5" }],
      ],
    ),
    [
      "channel     clicks", //
      "----------  ------",
      "네이버           7",
      "newsletter    12.5",
    ],
  );
});

table("has no control characters", () => {
  assert.equal(linesOf(["name"], [["a\u001b[2Jb"]]).at(-1), "a\ufffd[2Jb");
});

table.run();

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { attachment } from "../../../../infra/http/response/attachment.ts";

const test = suite("Content-Disposition of a file (RFC 6266)");

const cases: readonly (readonly [what: string, name: string, header: string])[] = [
  ["a plain name stands as it is", "spend 2026-03.csv", 'attachment; filename="spend 2026-03.csv"'],
  [
    "other scripts are encoded, beside a name for those who cannot read that",
    "Ausgaben März (1).csv",
    "attachment; filename=\"Ausgaben M_rz (1).csv\"; filename*=UTF-8''Ausgaben%20M%C3%A4rz%20%281%29.csv",
  ],
  [
    "quotes and percent signs end nothing and mean nothing",
    '"; x="100%.csv',
    "attachment; filename=\"_; x=_100_.csv\"; filename*=UTF-8''%22%3B%20x%3D%22100%25.csv",
  ],
  ["directories are none", "../..\\etc/passwd", 'attachment; filename="__.._etc_passwd"'],
  [
    "line ends and other controls are replaced",
    "a\r\nSet-Cookie: b\u0000.csv",
    'attachment; filename="a__Set-Cookie: b_.csv"',
  ],
  ["what turns the direction of writing is replaced", "fdp\u202Eexe.csv", 'attachment; filename="fdp_exe.csv"'],
  ["half a character is replaced", "a\uD800.csv", 'attachment; filename="a_.csv"'],
  ["no hidden file is made", ".bashrc", 'attachment; filename="_bashrc"'],
  ["there is always a name", "", 'attachment; filename="_"'],
];

for (const [what, name, header] of cases) test(what, () => assert.is(attachment(name), header));

test("a long name is cut at 200 characters, never within one", () => {
  assert.is(attachment("x".repeat(201)), `attachment; filename="${"x".repeat(200)}"`);
  const encoded = encodeURIComponent("😀".repeat(200));
  assert.is(attachment("😀".repeat(201)), `attachment; filename="${"_".repeat(200)}"; filename*=UTF-8''${encoded}`);
});

test.run();

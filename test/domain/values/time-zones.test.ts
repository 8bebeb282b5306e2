import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isTimeZone } from "../../../domain/values/time-zones.ts";

const timeZone = suite("a time zone");

timeZone("is named as IANA spells it", () => {
  for (const name of [
    "UTC",
    "Asia/Seoul",
    "Asia/Kolkata",
    "America/Argentina/Buenos_Aires",
    "Etc/GMT+9",
    "EST5EDT",
    "US/Pacific",
  ]) {
    assert.ok(isTimeZone(name), name);
  }
});

timeZone("has no other name", () => {
  for (const name of [
    "",
    "utc",
    "asia/seoul",
    "Asia/Seoul ",
    "+09:00",
    "Asia/Nowhere",
    "KST",
    "IST",
    "PST",
    "US/Pacific-New",
    "Canada/East-Saskatchewan",
    "SystemV/PST8PDT",
    "Asia/Seoul\0",
    "../etc",
  ]) {
    assert.not(isTimeZone(name), name);
  }
});

timeZone.run();

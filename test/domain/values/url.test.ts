import { suite } from "uvu";
import * as assert from "uvu/assert";
import { parsedUrl } from "../../../domain/values/url.ts";

const test = suite("a URL of a text");

test("is parsed as browsers do", () => {
  assert.is(parsedUrl("HTTPS://Shop.Example/a b")?.href, "https://shop.example/a%20b");
  assert.is(parsedUrl("shop.example"), null);
});

test("is the same however often it is parsed: an optimised URL.canParse refuses such a host", () => {
  for (let time = 0; time < 20_000; time += 1) {
    if (parsedUrl("https://münchen.example/") === null) throw new Error(`It was refused at the ${time}th time.`);
  }
});

test.run();

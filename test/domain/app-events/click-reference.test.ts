import { suite } from "uvu";
import * as assert from "uvu/assert";
import { clickReference } from "../../../domain/app-events/click-reference.ts";

const one = "01980000-0000-7000-8000-00000000000a";
const other = "01980000-0000-7000-8000-00000000000b";

const reference = suite("the click that a referrer names");

reference("is the click id, in lower case", () => {
  assert.is(clickReference({ clickId: one.toUpperCase() }), one);
});

reference("is tl_click_id of the install referrer, encoded once more or not", () => {
  for (const installReferrer of [
    `tl_click_id=${one}`,
    `tl_click_id%3D${one}`,
    `utm_source=a&tl_click_id=${one}&utm_medium=b`,
    `utm_source%3Da%26tl_click_id%3D${one}`,
    `tl_click_id=&tl_click_id=${one}`,
  ]) {
    assert.is(clickReference({ installReferrer }), one, installReferrer);
  }
});

reference("is tl_click_id of the deeplink's query", () => {
  for (const deeplinkUrl of [
    `https://shop.example/a?tl_click_id=${one}`,
    `myapp://home?x=1&tl_click_id=${one}#top`,
    `myapp:?tl_click_id=${one.toUpperCase()}`,
  ]) {
    assert.is(clickReference({ deeplinkUrl }), one, deeplinkUrl);
  }
});

reference("is the most direct one of several", () => {
  const deeplinkUrl = `a://b?tl_click_id=${other}`;
  assert.is(clickReference({ clickId: one, installReferrer: `tl_click_id=${other}`, deeplinkUrl }), one);
  assert.is(clickReference({ installReferrer: `tl_click_id=${one}`, deeplinkUrl }), one);
  assert.is(clickReference({ installReferrer: "utm_source=a", deeplinkUrl }), other);
});

reference("is null when nothing readable names one", () => {
  for (const referrer of [
    undefined,
    {},
    { installReferrer: "tl_click_id=42" },
    { installReferrer: "%E0%A4%A" },
    { installReferrer: "not_tl_click_id=01980000-0000-7000-8000-00000000000a" },
    { deeplinkUrl: `https://shop.example/#?tl_click_id=${one}` },
    { deeplinkUrl: `https://shop.example/tl_click_id=${one}` },
    { deeplinkUrl: "a://b?tl_click_id=00000000-0000-0000-0000-000000000000" },
  ]) {
    assert.is(clickReference(referrer), null, JSON.stringify(referrer));
  }
});

reference.run();

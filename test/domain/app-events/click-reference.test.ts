import { suite } from "uvu";
import * as assert from "uvu/assert";
import { clickReference, openedAddress } from "../../../domain/app-events/click-reference.ts";

const one = "01980000-0000-7000-8000-00000000000a";
const other = "01980000-0000-7000-8000-00000000000b";

type Referrer = NonNullable<Parameters<typeof clickReference>[0]["referrer"]>;
const ofInstall = (referrer: Referrer) => clickReference({ category: "app_install", referrer });
const anOpen = (referrer: Referrer) => ({ category: "app_deeplink_open", referrer });

const reference = suite("the click that an event names");

reference("is the click id, in lower case", () => {
  assert.is(ofInstall({ clickId: one.toUpperCase() }), one);
});

reference("is tl_click_id of the install referrer, encoded once more or not", () => {
  for (const installReferrer of [
    `tl_click_id=${one}`,
    `tl_click_id%3D${one}`,
    `utm_source=a&tl_click_id=${one}&utm_medium=b`,
    `utm_source%3Da%26tl_click_id%3D${one}`,
    `tl_click_id=&tl_click_id=${one}`,
    `&a&&=&tl_click_id=${one}=2&`,
    `x_tl_click_id=${other}&tl_click_ids=${other}&tl_click_id=${one}`,
  ]) {
    assert.is(ofInstall({ installReferrer }), one, installReferrer);
  }
});

reference("is tl_click_id of the deeplink's query", () => {
  for (const deeplinkUrl of [
    `https://shop.example/a?tl_click_id=${one}`,
    `myapp://home?x=1&tl_click_id=${one}#top`,
    `myapp:?tl_click_id=${one.toUpperCase()}`,
  ]) {
    assert.is(ofInstall({ deeplinkUrl }), one, deeplinkUrl);
  }
});

reference("is the most direct one of several", () => {
  const deeplinkUrl = `a://b?tl_click_id=${other}`;
  assert.is(ofInstall({ clickId: one, installReferrer: `tl_click_id=${other}`, deeplinkUrl }), one);
  assert.is(ofInstall({ installReferrer: `tl_click_id=${one}`, deeplinkUrl }), one);
  assert.is(ofInstall({ installReferrer: "utm_source=a", deeplinkUrl }), other);
});

reference("is, of events after the install, that of their deeplink rather than that of the install", () => {
  const installReferrer = `tl_click_id=${one}`;
  for (const category of ["app_deeplink_open", "app_deeplink_pageview"]) {
    const referenceWith = (deeplinkUrl: string) =>
      clickReference({ category, referrer: { installReferrer, deeplinkUrl } });
    assert.equal([referenceWith(`a://b?tl_click_id=${other}`), referenceWith("a://b")], [other, one], category);
  }
});

reference("is null when nothing readable names one", () => {
  assert.is(clickReference({ category: "app_install" }), null);
  for (const referrer of [
    {},
    { installReferrer: "tl_click_id=42" },
    { installReferrer: "%E0%A4%A" },
    { installReferrer: "not_tl_click_id=01980000-0000-7000-8000-00000000000a" },
    { deeplinkUrl: `https://shop.example/#?tl_click_id=${one}` },
    { deeplinkUrl: `https://shop.example/tl_click_id=${one}` },
    { deeplinkUrl: "a://b?tl_click_id=00000000-0000-0000-0000-000000000000" },
  ]) {
    assert.is(ofInstall(referrer), null, JSON.stringify(referrer));
  }
});

const opened = suite("the address that an event opened");

opened("is the deeplink of an open without a click of its own, whatever the install referrer", () => {
  const deeplinkUrl = "https://go.example/l/spring";
  const rows: readonly (readonly [object, string | null])[] = [
    [anOpen({ deeplinkUrl }), deeplinkUrl],
    [anOpen({ deeplinkUrl, installReferrer: `tl_click_id=${one}` }), deeplinkUrl],
    [anOpen({ deeplinkUrl, clickId: "p-1" }), deeplinkUrl],
    [anOpen({ deeplinkUrl, clickId: one }), null],
    [anOpen({ deeplinkUrl: `${deeplinkUrl}?tl_click_id=${one}` }), null],
    [anOpen({}), null],
    [{ category: "app_deeplink_open" }, null],
    [{ category: "app_install", referrer: { deeplinkUrl } }, null],
  ];
  for (const [event, address] of rows) {
    assert.is(openedAddress(event as Parameters<typeof openedAddress>[0]), address, JSON.stringify(event));
  }
});

reference.run();
opened.run();

import * as assert from "uvu/assert";
import { linkSuite } from "../../support/link-application.ts";
import { change, create, detail } from "../../support/visitor.ts";

const hostile: readonly string[] = [
  "javascript:alert(1)",
  "JAVASCRIPT://shop.example/%0aalert(1)",
  "data:text/html,<script>alert(1)</script>",
  "vbscript:msgbox",
  "file:///etc/passwd",
  "//evil.example",
  "/\\evil.example",
  "\\\\evil.example",
  "https:\\\\evil.example",
  "https:evil.example",
  "https://shop.example@evil.example/",
  "https://user:secret@shop.example/",
  "https://shop.example\\@evil.example/",
  "https://shop.example/\r\nSet-Cookie: a=b",
  "https://shop.example/\u0000",
  "https://shop.example/\u0007",
  "https://shop.example/\u2028",
  " https://shop.example/",
  "https://аррӏе.com/",
  "https://xn--80ak6aa92e.com/",
  "https://pаypal.com/",
  "https://сосо.com/",
  "https://shop.comノevil.example/",
  `https://shop.example/${"a".repeat(2_048)}`,
  `https://shop.example/${"a".repeat(65_536)}`,
];

const preview = { title: "Spring", description: "Sale", imageUrl: "https://shop.example/a.png" };
const redirects = linkSuite("a hostile address");

for (const address of hostile) {
  redirects(
    `${JSON.stringify(address).slice(0, 50)} is no link's deeplink, fallback or image`,
    async ({ application }) => {
      const { id } = await create(application, { deeplinkUrl: "https://shop.example/", ogTag: preview });
      const before = await detail(application, id);
      const { call } = application;
      const created = async (body: object): Promise<number> =>
        (await call("POST", "/v1/tracking-links", { token: "link", body: { channel: "x", ...body } })).status;
      const statuses = [
        await created({ deeplinkUrl: address }),
        await created({ fallbackPaths: { ios: address } }),
        await created({ fallbackPaths: { android: address } }),
        await created({ fallbackPaths: { desktop: address } }),
        await created({ ogTag: { imageUrl: address } }),
        (await change(application, "routing", id, { body: { deeplinkUrl: address } })).status,
        (await change(application, "routing", id, { body: { fallbackPaths: { ios: address } } })).status,
        (await change(application, "routing", id, { body: { fallbackPaths: { desktop: address } } })).status,
        (await change(application, "og-tag", id, { body: { ...preview, imageUrl: address } })).status,
      ];
      assert.equal(statuses, [...Array(8).fill(422), 404]);
      assert.equal(await detail(application, id), before);
    },
  );
}

redirects.run();

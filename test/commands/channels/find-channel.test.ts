import { suite } from "uvu";
import * as assert from "uvu/assert";
import { channelFinder } from "../../../commands/channels/find-channel.ts";
import { principals, servedShop } from "../../support/application.ts";
import { channelLog as log } from "./channel-log.ts";

const finding = suite("looking up a channel");

finding("finds registered and built-in channels", async () => {
  const find = channelFinder(log, async () => []);
  const known = async (name: string) => {
    const { isChannelKnown } = await find(name, { principal: principals.operator, app: null });
    return isChannelKnown;
  };
  assert.equal(await Promise.all(["billboards", "tiktok", "newsletter", "März"].map(known)), [
    true,
    true,
    false,
    false,
  ]);
});

finding("suggests all registered channels to operators, and to an app those of its links", async () => {
  const requestedFor: (number | null)[] = [];
  const find = channelFinder(log, async (appId) => {
    requestedFor.push(appId);
    return appId === null ? ["billboards", "posters"] : ["billboards"];
  });
  const [operator, owner] = [
    { principal: principals.operator, app: null },
    { principal: principals.owner, app: servedShop },
  ];
  assert.equal(
    [
      await find("poster", operator),
      await find("poster", { ...operator, app: servedShop }),
      await find("poster", owner),
    ],
    [["billboards", "posters"], ["billboards", "posters"], ["billboards"]].map((visibleChannels) => ({
      isChannelKnown: false,
      visibleChannels,
    })),
  );
  assert.equal(await find("billboards", owner), { isChannelKnown: true, visibleChannels: [] });
  assert.equal(requestedFor, [null, null, servedShop.appId]);
});

for (const [what, registeredChannels] of [
  ["fails", () => Promise.reject(new Error("gone"))],
  ["does not respond within a second", () => new Promise<never>(() => {})],
] as const) {
  finding(`suggests none when the read model ${what}`, async () => {
    const find = channelFinder(log, registeredChannels);
    const found = await find("poster", { principal: principals.operator, app: null });
    assert.equal(found, { isChannelKnown: false, visibleChannels: [] });
  });
}

finding.run();

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { builtInChannel, builtInChannels } from "../../../domain/channels/built-in.ts";
import type { ChannelProfile } from "../../../domain/channels/events.ts";
import { channelStream } from "../../../domain/streams.ts";
import { type Administration, adminToken, startAdministration } from "../../support/administration.ts";
import type { Answer } from "../../support/client.ts";
import { errorsOf } from "../../support/faults.ts";
import { outcomeOf } from "../../support/served-routes.ts";

const billboards = { displayName: "Billboards", type: "custom", selfAttributing: false, costIntegrated: false };

let application: Administration;
const channels = suite("channels");
channels.before(async () => {
  application = await startAdministration();
});
channels.after(() => application.close());

const put = (name: string, body: unknown): Promise<Answer> =>
  application.call("PUT", `/admin/v1/channels/${name}`, { token: adminToken, body });
async function listed(): Promise<readonly ChannelProfile[]> {
  const { json } = await application.call("GET", "/admin/v1/channels", { token: adminToken });
  return (json as { data: { channels: readonly ChannelProfile[] } }).data.channels;
}
const typesOf = async (name: string) => (await application.facts(channelStream(name))).map(({ type }) => type);

channels("are listed by name, built-in ones and added ones", async () => {
  const byName = [...builtInChannels].sort((one, other) => (one.name < other.name ? -1 : 1));
  assert.equal(await listed(), byName);
  const added = { name: "billboards", ...billboards };
  const answer = await put("billboards", billboards);
  assert.equal([answer.status, answer.json], [200, { data: { channel: added } }]);
  assert.equal(
    (await listed()).map(({ name }) => name),
    ["aarki", "appier", "apple.searchads", "billboards", ...byName.slice(3).map(({ name }) => name)],
  );
});

channels("are changed, also built-in ones; an unchanged profile appends no event", async () => {
  const kakao = { displayName: "Kakao", type: "integrated", selfAttributing: true, costIntegrated: true };
  await put("kakao", kakao);
  await put("kakao", { ...kakao, displayName: "Kakao Moment" });
  await put("kakao", { ...kakao, displayName: "Kakao Moment" });
  const { name: _name, ...tiktok } = builtInChannel("tiktok") ?? { name: "" };
  assert.is((await put("tiktok", tiktok)).status, 200);
  assert.equal(
    (await listed()).find(({ name }) => name === "kakao"),
    { name: "kakao", ...kakao, displayName: "Kakao Moment" },
  );
  assert.equal([await typesOf("kakao"), await typesOf("tiktok")], [["ChannelChanged", "ChannelChanged"], []]);
});

channels("are rejected with an invalid or a reserved name", async () => {
  for (const [name, code] of [
    ["organic", "CHANNEL_NAME_RESERVED"],
    ["Upper", "CHANNEL_NAME_INVALID"],
    ["a%2fb", "CHANNEL_NAME_INVALID"],
  ] as const) {
    assert.is(outcomeOf(await put(name, billboards)), `400 ${code}`);
  }
});

channels("are rejected without a complete profile", async () => {
  for (const field of Object.keys(billboards)) {
    const refused = await put("billboards", { ...billboards, [field]: undefined });
    assert.equal([refused.status, errorsOf(refused)], [400, [["body", field, "missing"]]]);
  }
  for (const displayName of ["", " a", "a ", 1]) {
    assert.is((await put("billboards", { ...billboards, displayName })).status, 400);
  }
});

channels.run();

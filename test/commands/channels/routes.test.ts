import { suite } from "uvu";
import * as assert from "uvu/assert";
import { builtInChannel, builtInChannels } from "../../../domain/channels/built-in.ts";
import type { ChannelProfile } from "../../../domain/channels/events.ts";
import { channelStream } from "../../../domain/streams.ts";
import { type Administration, adminToken, startAdministration } from "../../support/administration.ts";
import type { Answer } from "../../support/raw-client.ts";
import { outcomeOf } from "../../support/served-routes.ts";
import { errorsOf, problemOf } from "../../support/short-faults.ts";

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

channels("are rejected without a complete and valid profile", async () => {
  for (const field of Object.keys(billboards)) {
    const refused = await put("billboards", { ...billboards, [field]: undefined });
    assert.equal([refused.status, errorsOf(refused)], [400, [["body", field, "missing"]]]);
  }
  const wrong = [
    ...["", " a", "a ", "a\nb", "a".repeat(257), 1].map((displayName) => ({ displayName })),
    ...["Custom", "organic", null].map((type) => ({ type })),
    ...["selfAttributing", "costIntegrated"].map((flag) => ({ [flag]: "true" })),
    { appId: 1 },
  ];
  for (const change of wrong) {
    const { status, code, errors } = problemOf(await put("billboards", { ...billboards, ...change }));
    const locations = errors.map((error) => error.slice(0, -1));
    const expected = [["body", ...Object.keys(change)]];
    assert.equal([status, code, locations], [400, "VALIDATION_FAILED", expected], JSON.stringify(change));
  }
});

channels("have a display name of up to 256 characters", async () => {
  for (const displayName of ["A", "😀".repeat(256)]) {
    assert.is((await put("billboards", { ...billboards, displayName })).status, 200, displayName);
  }
});

channels.run();

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { visibleChannels } from "../../../domain/tokens/visible-channels.ts";

const visible = suite("the channels that a caller may see");

const token = { kind: "token", tokenId: "token", tokenKind: "api", appId: 1 } as const;

visible("are a media partner's own, in order", () => {
  const partner = { ...token, role: "media_partner", channels: ["tiktok", "facebook", "tiktok"] } as const;
  assert.equal(visibleChannels(partner), ["facebook", "tiktok"]);
  assert.equal(visibleChannels({ ...partner, channels: [] }), []);
});

visible("are all for other callers", () => {
  const channel = { kind: "channel", tokenId: "key", channel: "tiktok", responseFormat: "tiktok" } as const;
  const owner = { ...token, role: "owner", channels: [] } as const;
  assert.equal([{ kind: "operator" } as const, channel, owner].map(visibleChannels), [null, null, null]);
});

visible.run();

import { randomUUID } from "node:crypto";
import { addDays, localDate } from "../../domain/values/local-time.ts";
import type { TestClient } from "../support/typed-client.ts";

export const yesterday = addDays(localDate("Asia/Seoul", Date.now()), -1);

/** A time of yesterday in the zone of the shop. */
export const at = (time: string): string => `${yesterday}T${time}:00+09:00`;

/** An app event of yesterday. */
export function anAppEvent(category: string, time: string, deviceId = "phone", more: object = {}) {
  const device = { id: deviceId, os: "iOS" };
  return { eventId: randomUUID(), eventTimestamp: at(time), category, device, ...more };
}

/** Sends touchpoints and app events of yesterday to an app, as its owner. */
export function trafficOf(owner: () => TestClient, app = "shop") {
  const path = `/events/v1/apps/${app}`;
  const send = (...events: readonly object[]) => owner().send("POST", `${path}/app-events`, { events });
  return {
    send,
    click: (channel: string, time: string, deviceId = "phone", more: object = {}) => {
      const touchpoint = { touchpointId: randomUUID(), kind: "click", timestamp: at(time), channel, deviceId, ...more };
      return owner().send("POST", `${path}/touchpoints`, { touchpoints: [touchpoint] });
    },
    /** Returns the id of the event. */
    happen: async (...event: Parameters<typeof anAppEvent>): Promise<string> => {
      const sent = anAppEvent(...event);
      await send(sent);
      return sent.eventId;
    },
  };
}

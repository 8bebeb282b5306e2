import type { StoredEvent } from "../../domain/event-catalogue.ts";
import type { TouchpointSource } from "../../domain/touchpoints/events.ts";
import { anInstall } from "./app-events.ts";
import { wonBy } from "./decisions.ts";
import { exampleUuid } from "./recorded-log.ts";
import { aClick, anImpression, springSale } from "./touchpoints.ts";

/** A self-attributing network with the campaign of the spring sale. */
export const twitter: TouchpointSource = { ...springSale, channel: "twitter", channelType: "integrated" };

/** Impressions of twitter in a month, and installs won by its clicks, beyond the limits of masking. */
export function aLargeMonth(month: string): readonly StoredEvent[] {
  const impressions = Array.from({ length: 1_001 }, (_, index) =>
    anImpression({
      touchpointId: exampleUuid(`${month} impression`, index),
      at: `${month}-01T08:00:00.000Z`,
      source: twitter,
    }),
  );
  const installs = Array.from({ length: 101 }, (_, index) =>
    anInstallByTwitter(month, index, `${month}-01T09:00:00.000Z`, `${month}-01T10:00:00.000Z`),
  );
  return [...impressions, ...installs.flat()];
}

/** A click of twitter and the install that it won, on a device of their own. */
export function anInstallByTwitter(
  name: string,
  number: number,
  clickedAt: string,
  at: string,
): readonly StoredEvent[] {
  const deviceKey = exampleUuid(`${name} device`, number);
  const click = aClick({
    touchpointId: exampleUuid(`${name} click`, number),
    at: clickedAt,
    deviceKey,
    source: twitter,
  });
  const install = anInstall({ eventId: exampleUuid(`${name} install`, number), at, deviceKey });
  return [click, install, wonBy(install, click)];
}

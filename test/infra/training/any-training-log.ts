import fc from "fast-check";
import type { AppEventRecorded } from "../../../domain/app-events/events.ts";
import type { AppRegistered, AttributionRulesChanged } from "../../../domain/apps/events.ts";
import { defaultRules } from "../../../domain/attribution/default-rules.ts";
import { customChannel } from "../../../domain/channels/channel-name.ts";
import type { ChannelChanged } from "../../../domain/channels/events.ts";
import type { TouchpointEvent } from "../../../domain/touchpoints/events.ts";
import { shopRegistered } from "../../examples/app.ts";
import { anInstall } from "../../examples/app-events.ts";
import { exampleUuid } from "../../examples/recorded-log.ts";
import { aClick, anImpression, springSale } from "../../examples/touchpoints.ts";

/** Its clocks go forward on March 8 at 7:00 in UTC, in the middle of what happens. */
export const newYorkShop: AppRegistered = {
  ...shopRegistered,
  data: { ...shopRegistered.data, appId: 2, name: "second", timezone: "America/New_York", salt: "11".repeat(32) },
};

type LoggedEvent = TouchpointEvent | AppEventRecorded | AttributionRulesChanged | ChannelChanged;

const minute = 60_000;
const day = 1_440 * minute;
const appId = fc.constantFrom(1, 1, 1, 2);
/** Around one hour, and exactly or not quite as long before it as windows reach. */
const at = fc
  .tuple(fc.constantFrom(0, 0, 0, 1, 7, 30, 30), fc.constantFrom(0, 0, 3, 6, 9, 12), fc.constantFrom(0, 0, 0, 1))
  .map(([days, tens, ms]) =>
    new Date(Date.parse("2026-03-08T06:00:00Z") - days * day + tens * 10 * minute - ms).toISOString(),
  );
const device = fc.constantFrom(0, 0, 1).map((number) => exampleUuid("device", number));
const channels = ["twitter", "twitter", "partner", "other"] as const;

const anyId = (kind: string) =>
  fc.constantFrom(
    undefined,
    undefined,
    exampleUuid(kind, 10),
    exampleUuid(kind, 10).toUpperCase(),
    exampleUuid(kind, 11),
    "00000000-0000-0000-0000-000000000000",
  );
const anyPerson = fc
  .record({
    gaid: anyId("gaid"),
    idfa: anyId("gaid"),
    idfv: anyId("idfv"),
    ip: fc.constantFrom(
      undefined,
      "203.0.113.7",
      "203.0.113.7",
      "::ffff:203.0.113.7",
      "203.0.113.8",
      "2001:DB8:0:0::1",
      "2001:db8::1",
    ),
  })
  .map(({ gaid, idfa, idfv, ip }) => ({
    ...(gaid === undefined ? {} : { gaid }),
    ...(idfa === undefined ? {} : { idfa }),
    ...(idfv === undefined ? {} : { idfv }),
    ...(ip === undefined ? {} : { ip }),
  }));
const anySystem = fc.constantFrom(
  { os: "Android", osVersion: "15" } as const,
  { os: "Android", osVersion: "14" } as const,
  { os: "Android" } as const,
  { os: "iOS", osVersion: "15" } as const,
  {},
);

const touchpoint: fc.Arbitrary<LoggedEvent> = fc
  .record({
    appId,
    id: fc.nat(14),
    at,
    deviceKey: fc.oneof(fc.constant(null), device),
    person: anyPerson,
    system: anySystem,
    human: fc.nat(5),
    channel: fc.constantFrom(...channels),
    isReengagement: fc.constantFrom("OFF", "OFF", "ON-FALSE", "ON-TRUE"),
  })
  .map(({ id, human, channel, isReengagement, system, ...data }) =>
    (id % 3 === 0 ? anImpression : aClick)({
      ...data,
      touchpointId: exampleUuid("touchpoint", id),
      os: null,
      osVersion: null,
      ...system,
      verdict: human === 0 ? { human: false, bot: "spider" } : { human: true },
      source: { ...springSale, channel, isReengagement },
    }),
  );

const appEvent: fc.Arbitrary<LoggedEvent> = fc
  .record({
    appId,
    id: fc.nat(9),
    at,
    deviceKey: device,
    person: anyPerson.map((person) => ({ deviceId: "phone", ...person })),
    device: anySystem,
    clickId: fc.oneof(
      { weight: 2, arbitrary: fc.constant(null) },
      { weight: 1, arbitrary: fc.nat(14).map((id) => exampleUuid("touchpoint", id)) },
    ),
    category: fc.constantFrom("app_install", "app_install", "app_install", "app_deeplink_open", "app_order_complete"),
    value: fc.constantFrom(null, "0", "12.50", "-3", "0.30000000000000004", "90071992547409931234.5"),
  })
  .map(({ id, ...data }) => anInstall({ ...data, eventId: exampleUuid("event", id), currency: "USD" }));

const rulesChange: fc.Arbitrary<LoggedEvent> = fc
  .record({ appId, device: fc.nat(6), probabilistic: fc.nat(6), own: fc.boolean() })
  .map(({ appId: app, own, device: ofDevice, probabilistic }) => {
    const click = { device: ofDevice * 1_200, probabilistic: probabilistic * 1_200 };
    const ofChannels = own ? { other: { click: defaultRules.click, impression: click } } : {};
    return {
      type: "AttributionRulesChanged",
      data: { appId: app, rules: { ...defaultRules, click, channels: ofChannels } },
    };
  });

const flagChange: fc.Arbitrary<LoggedEvent> = fc
  .record({ name: fc.constantFrom(...channels), selfAttributing: fc.boolean() })
  .map(({ name, selfAttributing }) => ({
    type: "ChannelChanged",
    data: { ...customChannel(name), selfAttributing },
  }));

/**
 * Events of two apps in no order of time, ids coming again with other contents, as a log could hold them behind the
 * registration of the shop.
 */
export const anyTrainingLog: fc.Arbitrary<readonly LoggedEvent[]> = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: touchpoint },
    { weight: 5, arbitrary: appEvent },
    { weight: 1, arbitrary: rulesChange },
    { weight: 2, arbitrary: flagChange },
  ),
  { minLength: 20, maxLength: 60 },
);

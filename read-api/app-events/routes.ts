import { fault } from "../../domain/fault.ts";
import { validationFailed } from "../../infra/http/response/problem.ts";
import { appRoute, ok, type Route, refuse } from "../../infra/http/routing/route.ts";
import { deviceDocs } from "./docs.ts";

const maxCharacters = 128;

export interface DeviceRouteDeps {
  /** The key that an app's salt and a device id make (contract/ingest.md#devices). */
  deviceKey(salt: string, deviceId: string): string;
}

/** The user id of a device, known or new (contract/ingest.md#devices). */
export function deviceRoutes({ deviceKey }: DeviceRouteDeps): readonly Route[] {
  return [
    appRoute({
      method: "get",
      path: "/events/v1/apps/:app_name/devices/:deviceId",
      docs: deviceDocs,
      operation: "look_up_device",
      async handle({ app, params }) {
        const { deviceId = "" } = params;
        if ([...deviceId].length > maxCharacters) {
          const tooLong = fault("too_long.characters", ["path", "deviceId"], { limit: maxCharacters });
          return refuse(validationFailed([tooLong]));
        }
        return ok({ data: { userId: deviceKey(app.salt, deviceId) } });
      },
    }),
  ];
}

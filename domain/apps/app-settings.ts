import { assertNever, type Decider, type Rejection } from "../decider.ts";
import type { AppEvent } from "./events.ts";

/** Hides an uploaded metric from reports, or shows it again (D3.10). */
export interface SetUploadedMetricArchived {
  readonly appId: number;
  readonly eventCategory: string;
  readonly archived: boolean;
  /** Whether the app has ever uploaded it. */
  readonly isUploaded: boolean;
}

export interface AppSettingsState {
  /** Categories of uploaded metrics. */
  readonly archived: ReadonlySet<string>;
}

export type AppSettingsRejection = "UPLOADED_METRIC_NOT_FOUND";

function decide(
  { appId, eventCategory, archived, isUploaded }: SetUploadedMetricArchived,
  state: AppSettingsState,
): readonly AppEvent[] | Rejection<AppSettingsRejection> {
  if (!isUploaded) return { rejected: "UPLOADED_METRIC_NOT_FOUND" };
  if (state.archived.has(eventCategory) === archived) return [];
  return [{ type: archived ? "UploadedMetricArchived" : "UploadedMetricRestored", data: { appId, eventCategory } }];
}

function evolve({ archived }: AppSettingsState, event: AppEvent): AppSettingsState {
  switch (event.type) {
    case "UploadedMetricArchived":
      return { archived: new Set(archived).add(event.data.eventCategory) };
    case "UploadedMetricRestored":
      return { archived: new Set([...archived].filter((category) => category !== event.data.eventCategory)) };
    default:
      return assertNever(event);
  }
}

/** What was set up for one app after its registration. */
export const appSettings: Decider<SetUploadedMetricArchived, AppEvent, AppSettingsState, AppSettingsRejection> = {
  initialState: { archived: new Set() },
  decide,
  evolve,
};

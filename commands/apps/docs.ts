import { boolean, data, object, text } from "../../infra/http/openapi/route-docs.ts";
import { app, appExample, attributionRules, attributionRulesExample } from "../../infra/http/openapi/shared-schemas.ts";
import { rejectionsOf } from "../rejection-statuses.ts";

const { name, timezone, currency, ownerEmail } = appExample;

export const registerAppDocs = {
  summary: "Register an app",
  description: "Registers an app and returns its first four tokens. Their secrets are shown only in this response.",
  contract: "contract/administration.md#apps",
  request: { name, timezone, currency, ownerEmail, iosStoreId: "123456789" },
  responses: {
    201: {
      schema: data({
        app: object({ id: { type: "integer" }, name: text, timezone: text, currency: text }),
        tokens: object({ api: text, link: text, sdk: text, web: text }),
      }),
      example: {
        data: {
          app: { id: 1, name, timezone, currency },
          tokens: { api: "tl_api_...", link: "tl_link_...", sdk: "tl_sdk_...", web: "tl_web_..." },
        },
      },
    },
  },
  problems: rejectionsOf("APP_NAME_TAKEN", "IOS_STORE_ID_TAKEN"),
};

const changes = { companyName: "Shop Inc.", redirectHosts: ["shop.example"] };

export const changeAppDocs = {
  summary: "Change the settings of an app",
  description:
    "Changes the settings in the body; omitted settings keep their values. The name, time zone and currency " +
    "cannot be changed.",
  contract: "contract/administration.md#apps",
  request: changes,
  responses: { 200: { schema: data({ app }), example: { data: { app: { ...appExample, ...changes } } } } },
  problems: rejectionsOf("IOS_STORE_ID_TAKEN"),
};

export const putAttributionRulesDocs = {
  summary: "Set the attribution rules of an app",
  description:
    "Applies to target events from now on. Omitted fields get the defaults; omitted fields of a channel get the " +
    "values for all channels. Returns the complete rules.",
  contract: "contract/administration.md#attribution-rules",
  request: { click: { device: "7d" }, attributionWindow: "30d" },
  responses: {
    200: {
      schema: data({ attributionRules }),
      example: { data: { attributionRules: attributionRulesExample } },
    },
  },
  problems: rejectionsOf("APP_NOT_FOUND"),
};

export const switchContextDocs = {
  summary: "Switch context calls on or off",
  description: "While context calls are off, those of the app fail with 409 `CONTEXT_INACTIVE`.",
  contract: "contract/administration.md#context-switch",
  request: { active: true },
  responses: { 200: { schema: data({ active: boolean }), example: { data: { active: true } } } },
};

export const archiveMetricDocs = {
  summary: "Archive or restore an uploaded metric",
  description: "An archived metric is no longer offered for new reports. Its rows are kept.",
  contract: "contract/administration.md#archived-metrics",
  request: { archived: true },
  responses: {
    200: {
      schema: data({ uploadedMetric: object({ eventCategory: text, archived: boolean }) }),
      example: { data: { uploadedMetric: { eventCategory: "app_install", archived: true } } },
    },
  },
  problems: rejectionsOf("UPLOADED_METRIC_NOT_FOUND"),
};

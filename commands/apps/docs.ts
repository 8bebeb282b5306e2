import { boolean, data, object, text } from "../../infra/http/openapi/route-docs.ts";
import { app, appExample, attributionRules, attributionRulesExample } from "../../infra/http/openapi/shared-schemas.ts";
import { rejectionsOf } from "../problems.ts";

const { name, timezone, currency, ownerEmail } = appExample;

export const registerAppDocs = {
  summary: "Register an app",
  description: "Registers an app and answers its first four tokens, whose texts are shown only now.",
  contract: "contract/administration.md#apps",
  request: { name, timezone, currency, ownerEmail, iosStoreId: "123456789" },
  answers: {
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

export const changeAppDocs = {
  summary: "Change the settings of an app",
  description: "Settings that are left out stay as they are. Name, time zone and currency never change.",
  contract: "contract/administration.md#apps",
  request: { companyName: "Shop Inc.", redirectHosts: ["shop.example"] },
  answers: { 200: { schema: data({ app }), example: { data: { app: appExample } } } },
  problems: rejectionsOf("IOS_STORE_ID_TAKEN"),
};

export const putAttributionRulesDocs = {
  summary: "Set the attribution rules of an app",
  description:
    "For target events from now on. Fields that are left out have the defaults; those of a channel have the values " +
    "for all channels. The answer has the complete rules.",
  contract: "contract/administration.md#attribution-rules",
  request: { click: { device: "7d" }, attributionWindow: "30d" },
  answers: {
    200: {
      schema: data({ attributionRules }),
      example: { data: { attributionRules: attributionRulesExample } },
    },
  },
  problems: rejectionsOf("APP_NOT_FOUND"),
};

export const switchContextDocs = {
  summary: "Switch context calls on or off",
  description: "While they are off, context calls of the app answer 409 `CONTEXT_INACTIVE`.",
  contract: "contract/administration.md#context-switch",
  request: { active: true },
  answers: { 200: { schema: data({ active: boolean }), example: { data: { active: true } } } },
};

export const archiveMetricDocs = {
  summary: "Archive or restore an uploaded metric",
  description: "An archived metric is not offered for new reports; its rows stay.",
  contract: "contract/administration.md#archived-metrics",
  request: { archived: true },
  answers: {
    200: {
      schema: data({ uploadedMetric: object({ eventCategory: text, archived: boolean }) }),
      example: { data: { uploadedMetric: { eventCategory: "app_install", archived: true } } },
    },
  },
  problems: rejectionsOf("UPLOADED_METRIC_NOT_FOUND"),
};

/** Campaign parameters: how requests spell them (contract/tracking-links.md#creating) and how events and answers do. */
export const campaignFields = {
  campaign: "campaign",
  ad_group: "adGroup",
  ad_creative: "adCreative",
  content: "content",
  term: "term",
  sub_id: "subId",
  sub_id_1: "subId1",
  sub_id_2: "subId2",
  sub_id_3: "subId3",
  campaign_id: "campaignId",
  ad_group_id: "adGroupId",
  ad_creative_id: "adCreativeId",
  term_id: "termId",
} as const;

export type CampaignKey = keyof typeof campaignFields;
export type CampaignField = (typeof campaignFields)[CampaignKey];
export type CampaignParams = { readonly [Field in CampaignField]?: string };

/**
 * Where an ad was shown, below the channel (contract/tracking-links.md#url-parameters); only a touchpoint's URL carries
 * these.
 */
export const publisherFields = {
  sub_publisher: "subPublisher",
  sub_sub_publisher_1: "subSubPublisher1",
  sub_sub_publisher_2: "subSubPublisher2",
  sub_sub_publisher_3: "subSubPublisher3",
} as const;

export type PublisherKey = keyof typeof publisherFields;
export type PublisherField = (typeof publisherFields)[PublisherKey];
export type PublisherParams = { readonly [Field in PublisherField]?: string };

export const campaignKeys = Object.keys(campaignFields) as readonly CampaignKey[];
export const publisherKeys = Object.keys(publisherFields) as readonly PublisherKey[];

/** Campaign parameters of a request, under the names that events and answers use. Unknown keys are left out. */
export function campaignParamsOf(request: { readonly [key in CampaignKey]?: string | undefined }): CampaignParams {
  const params: { [Field in CampaignField]?: string } = {};
  for (const key of campaignKeys) {
    const value = request[key];
    if (value !== undefined) params[campaignFields[key]] = value;
  }
  return params;
}

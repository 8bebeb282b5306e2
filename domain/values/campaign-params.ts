/** Campaign parameters: names in requests (contract/tracking-links.md#creating) and in events and responses. */
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

/** Publishers below the channel; only in URLs of touchpoints (contract/tracking-links.md#url-parameters). */
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

/** Campaign parameters after a change: absent keys keep their value, null removes it. */
export function changedCampaignParams(
  params: CampaignParams,
  changes: { readonly [key in CampaignKey]?: string | null | undefined },
): CampaignParams {
  const changed: { [Field in CampaignField]?: string } = { ...params };
  for (const key of campaignKeys) {
    const value = changes[key];
    if (value === null) delete changed[campaignFields[key]];
    else if (value !== undefined) changed[campaignFields[key]] = value;
  }
  return changed;
}

/** Campaign parameters of a request under their names in events. Unknown keys are dropped. */
export function campaignParamsOf(request: { readonly [key in CampaignKey]?: string | undefined }): CampaignParams {
  return changedCampaignParams({}, request);
}

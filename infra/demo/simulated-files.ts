import { stringify } from "csv-stringify/sync";
import { builtInChannel } from "../../domain/channels/built-in.ts";
import { addDays, type LocalDate } from "../../domain/values/local-time.ts";
import type { GroundTruth } from "./ground-truth.ts";
import { seededRandom } from "./random.ts";
import type { SimulatedLink } from "./simulation.ts";

/** Name of the metric that the demo uploads. */
export const storeVisits = "store_visits";

/** Two files of an advertiser: ad spend, and a metric (contract/uploads.md). */
export interface SimulatedFiles {
  readonly adSpend: string;
  readonly metric: string;
}

/**
 * The cost of each link's ads on each day and the store visits they led to, added to `truth` as well. The file of costs
 * has the display names of channels.
 */
export function simulateFiles(
  plan: { readonly seed: number; readonly today: LocalDate; readonly days: number },
  links: readonly SimulatedLink[],
  truth: GroundTruth,
): SimulatedFiles {
  const random = seededRandom(plan.seed + 1);
  const spent: object[] = [];
  const visited: object[] = [];
  for (let ago = plan.days - 1; ago >= 0; ago -= 1) {
    const date = addDays(plan.today, -ago);
    for (const link of links) {
      const { campaign, ad_group } = link.campaignParams;
      const impressions = random.whole(500, 9_000);
      const clicks = Math.floor(impressions * random.next() * 0.03);
      const costCents = random.whole(150, 20_000);
      const visits = random.whole(0, 40);
      truth.spend(date, link, costCents);
      truth.storeVisits(date, link, visits);
      const channel = builtInChannel(link.channel)?.displayName ?? link.channel;
      const cost = (costCents / 100).toFixed(2);
      spent.push({ date, channel, currency: "USD", campaign, ad_group, impressions, clicks, cost });
      visited.push({ date, channel, campaign, event_category: storeVisits, event_value: visits });
    }
  }
  return { adSpend: stringify(spent, { header: true }), metric: stringify(visited, { header: true }) };
}

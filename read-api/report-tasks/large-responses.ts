import { createShares } from "../../infra/http/request/body-gate.ts";
import { type Problem, problems } from "../../infra/http/response/problem.ts";
import { type Reply, refuse } from "../../infra/http/routing/route.ts";
import type { StoredResults } from "../../projections/reports/results/result-pages.ts";
import type { StoredRow } from "../../projections/reports/results/stored-rows.ts";

/** Characters of cells, in a page or in the rows that are read at once, beyond which a response is large. */
const largeLength = 1_000_000;
/** Maximum large responses at the same time, of one app half: each holds some tens of megabytes while its client reads. */
const maxLarge = 4;

const tooManyLarge: Problem = { ...problems.overloaded, code: "OVERLOADED.large_reports" };

/** Responds with the rows of a task; a problem when they are large and too many such responses are being read. */
export type RespondWithRows = (
  appId: number,
  taskId: string,
  respond: (results: StoredResults) => Promise<Reply>,
) => Promise<Reply>;

/** Limits the large responses of reports (contract/limits.md#reports), which last as long as their clients read. */
export function limitLargeResponses(results: StoredResults): RespondWithRows {
  const places = createShares(maxLarge, maxLarge / 2);
  return async (appId, taskId, respond) => {
    let length = 0;
    let isWhole = false;
    const measured: StoredResults = {
      ...results,
      page: async (...request) => {
        const page = await results.page(...request);
        length = lengthOf(page.rows);
        return page;
      },
      all: (task) => {
        isWhole = true;
        return results.all(task);
      },
    };
    const reply = await respond(measured);
    if (isWhole) length = await results.longestChunk(taskId);
    if (reply.kind !== "streamed" || length <= largeLength) return reply;
    if (!places.take(appId, 1)) return refuse(tooManyLarge);
    return { ...reply, pieces: finallyRelease(reply.pieces, () => places.release(appId, 1)) };
  };
}

function lengthOf(rows: readonly StoredRow[]): number {
  return rows.reduce((sum, { cells }) => sum + cells.length, 0);
}

async function* finallyRelease<Piece>(pieces: AsyncIterable<Piece>, release: () => void): AsyncGenerator<Piece> {
  try {
    yield* pieces;
  } finally {
    release();
  }
}

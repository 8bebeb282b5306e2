import { required } from "./client.ts";

/** Where a page begins: lists are paged by `skip`, or after the last item of the previous page. */
export interface PageStart {
  readonly skip: number;
  readonly size: number;
  readonly after?: string;
}

interface ListedPage {
  /** Of a response with several lists, such as the history of an upload, each list has its own. */
  readonly pagination?: { readonly hasNext?: boolean; readonly after?: string; readonly [list: string]: unknown };
  readonly data?: { readonly hasNext?: boolean; readonly totalCount?: number };
}

/**
 * Every page of a list: `for await (const { data } of pages((query) => client.GET("/v1/tracking-links", { params: { query } })))`.
 * @throws {ApiRefused}
 * @throws {SyntaxError} when the next page would be the same one again: another server responds
 */
export async function* pages<Page>(
  read: (start: PageStart) => Promise<{
    readonly data?: Page;
    readonly error?: unknown;
    readonly response: Response;
  }>,
  size = 100,
): AsyncGenerator<Page> {
  let start: PageStart | null = { skip: 0, size };
  while (start !== null) {
    const page: Page = required(await read(start));
    yield page;
    const { pagination = {}, data = {} } = page as ListedPage;
    const skip: number = start.skip + size;
    const hasNext = pagination.hasNext ?? data.hasNext ?? (skip < (data.totalCount ?? 0) || hasLonger(pagination));
    const { after } = pagination;
    if (hasNext && after !== undefined && after === start.after) {
      throw new SyntaxError("The response names its own page as the next one");
    }
    start = hasNext ? { skip, size, ...(after !== undefined && { after }) } : null;
  }
}

/** Whether one of several lists goes on. */
function hasLonger(lists: object): boolean {
  return Object.values(lists).some((list) => Object(list).hasNext === true);
}

import { ApiRefused } from "../api-client/api-client.ts";
import { ApiCallFailed, type ApiConnection, called, problemText } from "./api-connection.ts";
import { printTable } from "./print-table.ts";
import { printable } from "./printable.ts";

/**
 * What `request` answers; when its query is refused, what is wrong with each field is printed as a table.
 * @throws {ApiCallFailed}
 */
export function refusedQueryAsTable<Answer>(
  connection: ApiConnection,
  request: () => Promise<Answer>,
  print: (line: string) => void = console.log,
): Promise<Answer> {
  return called(connection, async () => {
    try {
      return await request();
    } catch (failure) {
      const { errors } = failure instanceof ApiRefused ? problemText(failure.answer) : { errors: [] };
      if (!(failure instanceof ApiRefused) || errors.length === 0) throw failure;
      printTable(
        ["field", "fault"],
        errors.map(({ field, fault }) => [printable(field), printable(fault)]),
        print,
      );
      throw new ApiCallFailed(`${connection.url} refused the query with ${failure.status}.`);
    }
  });
}

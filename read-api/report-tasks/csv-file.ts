/** How a result is answered as CSV (contract/reports.md#rows): a file to keep, whose first row holds the keys. */
export function csvFile(report: string, taskId: string) {
  return {
    mediaType: "text/csv; charset=utf-8; header=present",
    headers: { "Content-Disposition": `attachment; filename="${report}-${taskId}.csv"` },
  };
}

export {
  type ApiClient,
  type ClientOptions,
  createClient,
  formOf,
  PathParameterInvalid,
  required,
  type SentFile,
} from "./client.ts";
export { connectionFailure, isCertificateRefused } from "./connection-failure.ts";
export { DownloadExhausted, type DownloadTiming } from "./download-attempts.ts";
export {
  type DownloadedExport,
  type DownloadTarget,
  downloadExport,
  type ExportDownload,
  ExportNotDownloaded,
} from "./export-download.ts";
export { type PageStart, pages } from "./pages.ts";
export {
  type ExportFormat,
  type ExportRequest,
  ExportUnfinished,
  type RequestedExport,
  requestExport,
  waitForExport,
} from "./raw-exports.ts";
export { ApiRefused, type Problem } from "./refusal.ts";
export {
  followReport,
  hasEnded,
  type ReportKind,
  type ReportPage,
  type ReportQuery,
  type RequestedTask,
  reportPages,
  reportPath,
  requestReport,
  runReport,
  type TaskState,
  taskStateIn,
} from "./report-tasks.ts";
export type { components, paths } from "./schema.ts";
export {
  followUpload,
  sendUpload,
  type UploadKind,
  type UploadRecord,
  UploadUnfinished,
  uploadFile,
} from "./uploads.ts";

import { modelNames } from "../../domain/prediction/manifest.ts";
import { escaped } from "../http/response/html-text.ts";
import type { Outcome } from "./quality.ts";
import { meanings, type ReportTable, type TrainingReport, tablesOf } from "./training-report.ts";

const style = `
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1c2430; }
table { border-collapse: collapse; margin: 0.5rem 0 1.5rem; }
th, td { padding: 0.2rem 0.8rem; text-align: right; border-bottom: 1px solid #d8dee6; }
th:first-child, td:first-child { text-align: left; }
svg { max-width: 26rem; width: 100%; height: auto; }
`;

/** The report of a training as one HTML page without external resources. */
export function htmlReport(report: TrainingReport): string {
  const { app, bundleId, trainedAt, seed, installs } = report;
  const models = modelNames.map((name) => {
    const { heldOut, cutPoints } = report.models[name];
    const { quality, deciles, tiers, effects } = tablesOf(report.models[name]);
    return `<h2>${escaped(name)}: ${escaped(meanings[name])}</h2>
${tableHtml(quality)}
<h3>Calibration by decile, held out</h3>
${calibrationPlot(heldOut.deciles, `Calibration of ${name}`)}
${tableHtml(deciles)}
<h3>Tiers, held out</h3>
${tableHtml(tiers)}
<h3>Weights</h3>
${tableHtml(effects)}
<p>Cut points: ${escaped(cutPoints.join(", "))}</p>`;
  });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escaped(bundleId)}</title>
<style>${style}</style>
</head>
<body>
<h1>Bundle ${escaped(bundleId)}</h1>
<p>App ${escaped(app)}, trained as of ${escaped(trainedAt)} with seed ${seed}.</p>
<p>${installs.inLog} installs in the log, ${installs.tooYoung} of them not older than 10 days, ${installs.outOfRange} with
features beyond float32. ${installs.used} used: ${installs.trained} to fit the models, ${installs.heldOut} held out to test
them.</p>
${models.join("\n")}
</body>
</html>
`;
}

function tableHtml({ header, rows }: ReportTable): string {
  const line = (cells: readonly string[], tag: string): string =>
    `<tr>${cells.map((cell) => `<${tag}>${escaped(cell)}</${tag}>`).join("")}</tr>`;
  return `<table>\n${[line(header, "th"), ...rows.map((row) => line(row, "td"))].join("\n")}\n</table>`;
}

const side = 400;
const margin = 48;
const ticks = [0, 0.25, 0.5, 0.75, 1];

/** An SVG plot of predicted against happened, with a point for each group; on the diagonal both are equal. */
function calibrationPlot(outcomes: readonly Outcome[], title: string): string {
  const x = (share: number): string => (margin + share * side).toFixed(1);
  const y = (share: number): string => (margin / 2 + (1 - share) * side).toFixed(1);
  const points = outcomes.flatMap(({ predicted, happened }) =>
    predicted === null || happened === null ? [] : [{ predicted, happened }],
  );
  const axes = ticks.flatMap((tick) => [
    `<line x1="${x(tick)}" y1="${y(0)}" x2="${x(tick)}" y2="${y(1)}" stroke="#e3e8ee"/>`,
    `<line x1="${x(0)}" y1="${y(tick)}" x2="${x(1)}" y2="${y(tick)}" stroke="#e3e8ee"/>`,
    `<text x="${x(tick)}" y="${margin / 2 + side + 18}" text-anchor="middle">${tick}</text>`,
    `<text x="${margin - 6}" y="${y(tick)}" text-anchor="end" dominant-baseline="middle">${tick}</text>`,
  ]);
  const line = points.map(({ predicted, happened }) => `${x(predicted)},${y(happened)}`).join(" ");
  return `<svg viewBox="0 0 ${side + 2 * margin} ${side + 2 * margin}" role="img" font-size="12" fill="#1c2430">
<title>${escaped(title)}</title>
${axes.join("\n")}
<line x1="${x(0)}" y1="${y(0)}" x2="${x(1)}" y2="${y(1)}" stroke="#8a97a8" stroke-dasharray="4 4"/>
<polyline points="${line}" fill="none" stroke="#2460c4"/>
${points.map(({ predicted, happened }) => `<circle cx="${x(predicted)}" cy="${y(happened)}" r="4" fill="#2460c4"/>`).join("\n")}
<text x="${x(0.5)}" y="${margin / 2 + side + 38}" text-anchor="middle">predicted</text>
<text x="14" y="${y(0.5)}" text-anchor="middle" transform="rotate(-90 14 ${y(0.5)})">happened</text>
</svg>`;
}

import type { Outcome } from "./outcomes.ts";

const side = 400;
const margin = 48;
const ticks = [0, 0.25, 0.5, 0.75, 1];

/** Text that stands in HTML as itself. */
export function escaped(text: string): string {
  const entities: { readonly [character: string]: string } = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  return text.replaceAll(/[&<>"]/g, (character) => entities[character] ?? "").replaceAll("'", "&#39;");
}

/** What was predicted against what happened, a point for each group, as SVG: on the diagonal both are the same. */
export function calibrationPlot(outcomes: readonly Outcome[], title: string): string {
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

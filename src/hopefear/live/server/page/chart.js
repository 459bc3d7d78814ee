// Numbers, and curves of the work over the corrections, with learning and without.

import { drawn, make } from "./elements.js";

/** Show numbers, each with its name. */
export const numbers = (pairs) => pairs.map(([name, value]) => make("div", "", make("dt", "", name), make("dd", "", value)));

/** Draw the curves of the work. */
export const curves = (points) => [
  chart("Edits per 100 words (HTER): mean of the latest 30 sentences", points, "hter", "untouched_hter"),
  chart("Keys and clicks per 100 characters (KSMR)", points, "ksmr", "untouched_ksmr"),
];

/** Draw a score over the corrections, with learning and without. */
function chart(title, points, name, untouched) {
  const [width, height, left, right, top, bottom] = [340, 130, 30, 108, 8, 20];
  const values = points.flatMap((one) => [one[name], one[untouched]]);
  const least = Math.floor(Math.min(...values, 100) / 10) * 10;
  const most = Math.max(Math.ceil(Math.max(...values, 0) / 10) * 10, least + 10);
  const last = points.at(-1);
  const x = (one) => left + ((width - left - right) * (one.corrections - 1)) / Math.max(1, (last?.corrections ?? 1) - 1);
  const y = (value) => top + ((height - top - bottom) * (most - value)) / (most - least);
  const label = last
    ? `${title}: ${last[name].toFixed(1)} with learning, ${last[untouched].toFixed(1)} without learning`
    : `${title}: no correction yet`;
  const svg = drawn("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label });
  for (const value of points.length ? [least, (least + most) / 2, most] : []) {
    svg.append(drawn("line", { class: "axis", x1: left, x2: width - right, y1: y(value), y2: y(value) }));
    svg.append(drawn("text", { x: left - 5, y: y(value) + 3, "text-anchor": "end" }, value));
  }
  if (last) {
    svg.append(drawn("text", { x: left, y: height - 5 }, "1"));
    svg.append(drawn("text", { x: width - right, y: height - 5, "text-anchor": "end" }, `${last.corrections} corrections`));
    const ends = [y(last[name]), y(last[untouched])];
    if (Math.abs(ends[0] - ends[1]) < 11) ends[ends[0] <= ends[1] ? 1 : 0] = Math.min(...ends) + 11;
    const lines = [[untouched, "without", "without", ends[1]], [name, "with", "with learning", ends[0]]];
    for (const [key, kind, text, end] of lines) {
      svg.append(drawn("polyline", { class: kind, points: points.map((one) => `${x(one).toFixed(1)},${y(one[key]).toFixed(1)}`).join(" ") }));
      svg.append(drawn("text", { class: kind, x: width - right + 5, y: end + 3 }, `${last[key].toFixed(1)} ${text}`));
    }
  } else svg.append(drawn("text", { x: left, y: height / 2 }, "after the first correction"));
  return make("figure", "", make("figcaption", "", title), svg);
}

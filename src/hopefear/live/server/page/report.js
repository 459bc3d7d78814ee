// The report of the session.

import { curves, numbers } from "./chart.js";
import { at, isolated, make, shownDialog } from "./elements.js";
import { home } from "./now.js";
import { ask, attempt } from "./server.js";

const SCORES = [
  ["hter", "Edits per 100 words (HTER), lower is better"],
  ["ksmr", "Keys and clicks per 100 characters (KSMR), lower is better"],
  ["bleu", "BLEU, higher is better"],
];

const rate = (value) => value.toFixed(1);
const signed = (value) => `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(1)}`;
const chance = (p) => (p < 0.001 ? "< 0.001" : p.toFixed(3));

/** Say a time as hours and minutes, or seconds. */
function duration(seconds) {
  const minutes = Math.round(seconds / 60);
  if (seconds < 90) return `${Math.round(seconds)} s`;
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

function table(caption, head, rows) {
  const cells = (tag, row) => {
    const [name, ...values] = row.map((text, i) => (i ? make(tag, "", text) : isolated("th", "", text)));
    name.scope = tag === "th" ? "col" : "row";
    return make("tr", "", name, ...values);
  };
  const body = make("tbody", "", ...rows.map((row) => cells("td", row)));
  return make("div", "wide", make("table", "", make("caption", "", caption), make("thead", "", cells("th", head)), body));
}

function show(report) {
  const { sentences, counted } = report;
  at("report-name").textContent = `Report of “${report.name}”`;
  const counts = [
    ["sentences", String(sentences)],
    ["accepted as shown", String(report.unchanged)],
    ["keys", counted ? String(report.keys) : "–"],
    ["clicks", counted ? String(report.clicks) : "–"],
    ["time, without pauses", counted ? duration(report.seconds) : "–"],
    ["time per sentence", counted ? duration(report.seconds / counted) : "–"],
  ];
  if (counted < sentences) counts.push(["with keys and time counted", `${counted} of ${sentences}`]);
  const list = make("dl", "numbers", ...numbers(counts));
  if (!sentences) return at("reported").replaceChildren(list);
  const scores = SCORES.map(([key, name]) => {
    const { shown, untouched, difference, interval, p } = report[key];
    return [name, rate(shown), rate(untouched), `${signed(difference)} (${interval.map(signed).join(" to ")})`, chance(p)];
  });
  const parts = (one) => [
    one.name,
    String(one.sentences),
    ...[one.hter, one.untouched_hter, one.ksmr, one.untouched_ksmr].map(rate),
    one.seconds === null ? "–" : duration(one.seconds),
  ];
  const head = ["sentences", "HTER", "without learning", "KSMR", "without learning", "time"];
  at("reported").replaceChildren(
    list,
    table(
      "What was shown, and what the system without learning would have shown, compared with your corrections",
      ["", "shown", "without learning", "difference (95 % CI)", "p"],
      scores,
    ),
    make("div", "charts", ...curves(report.points)),
    table("Documents: mean per sentence", ["", ...head], report.documents.map(parts)),
    table("Experts: mean per sentence", ["", ...head], report.experts.map(parts)),
  );
}

at("open-report").addEventListener("click", () =>
  attempt(async () => {
    show(await ask("GET", `${home()}/report`));
    await shownDialog(at("report"));
  }),
);
at("print").addEventListener("click", () => print());

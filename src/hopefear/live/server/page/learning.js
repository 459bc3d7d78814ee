// What was learned.

import { at, drawn, isolated, make, makeButton, tell } from "./elements.js";
import { home, now } from "./now.js";
import { showList } from "./list.js";
import { go, sending } from "./sentence.js";
import { ask, attempt } from "./server.js";
import { readSentences, showDocuments } from "./session.js";
import { readable } from "./text.js";

export function showState(state) {
  const before = now.state;
  now.state = state;
  const last = state.points.at(-1);
  const speed = state.sentences_a_minute;
  const numbers = [
    ["corrections", String(state.accepted)],
    ["sentences a minute", speed === null ? "–" : speed.toFixed(1)],
    ["HTER, lower is better", last ? last.hter.toFixed(1) : "–"],
    ["BLEU, higher is better", last ? last.bleu.toFixed(1) : "–"],
  ];
  at("numbers").replaceChildren(...numbers.map(([name, value]) => make("div", "", make("dt", "", name), make("dd", "", value))));
  at("charts").replaceChildren(
    chart("HTER of what was shown", state.points, "hter", "untouched_hter"),
    chart("BLEU of what was shown", state.points, "bleu", "untouched_bleu"),
  );
  showTerms(state);
  showRules(state);
  const rows = state.weights.map((one) => {
    const name = make("th", "", one.name);
    name.scope = "row";
    return make("tr", "", name, ...[one.before, one.now].map((value) => make("td", "", value.toFixed(3))));
  });
  const head = ["feature", "before", "now"].map((name) => make("th", "", name));
  at("weights").replaceChildren(make("thead", "", make("tr", "", ...head)), make("tbody", "", ...rows));
  if (before === null) return;
  if (now.document !== null || state.documents.length) showDocuments();
  const own = state.documents.find((one) => one.number === now.document);
  const corrected = now.sentences.filter((one) => one.target !== null).length;
  if (own && own.corrected > corrected && !sending)
    attempt(async () => {
      await readSentences();
      showList();
    });
}

function showTerms(state) {
  const items = state.terms.map(([source, target]) => {
    const button = makeButton("", () => attempt(() => setTerm(source, target, true)), "Remove");
    button.setAttribute("aria-label", `Remove the term ${source} → ${target}`);
    const text = make("span", "", isolated("b", "", source), " → ", isolated("b", "", target));
    return make("li", "", make("div", "rule", text, button));
  });
  at("terms").replaceChildren(...items);
}

/** Give a term to the session, or take it away, and translate the sentence with what is known now. */
async function setTerm(source, target, removed) {
  await ask("PUT", `${home()}/terms`, { source, target, removed });
  tell(removed ? `The term ${source} is used no more.` : `${source} is translated as ${target} from now on.`);
  await translateAnew();
}

/** Translate the sentence with what is known now. */
async function translateAnew() {
  if (now.document !== null) await go(now.index);
}

function showRules(state) {
  const key = document.activeElement?.dataset.key; // of a button that is made anew
  const withdrawn = new Set(state.withdrawn.map((one) => JSON.stringify(one)));
  const opened = new Set([...at("rules").querySelectorAll("details[open]")].map((one) => one.dataset.number));
  const shown = new Set();
  const rule = (pair) => {
    shown.add(JSON.stringify(pair));
    return ruleRow(pair, withdrawn.has(JSON.stringify(pair)));
  };
  const items = state.corrections.map((one) => {
    const rules = one.rules.length ? one.rules.map(rule) : [make("div", "less", "no new rules of words")];
    const withdraw = async () => {
      await ask("DELETE", `${home()}/corrections/${one.number}`);
      tell(`The rules of correction ${one.number} are withdrawn.`);
      await translateAnew();
    };
    const button = makeButton("", () => attempt(withdraw), "Withdraw all");
    button.setAttribute("aria-label", `Withdraw all that correction ${one.number} taught`);
    const fold = make("details", "", isolated("summary", "", `${one.number}. ${one.target}`), ...rules, button);
    fold.dataset.number = String(one.number);
    fold.open = opened.has(fold.dataset.number);
    return make("li", "", fold);
  });
  const others = state.withdrawn.filter((one) => !shown.has(JSON.stringify(one)));
  if (others.length) items.push(make("li", "", make("div", "less", "Withdrawn, of other corrections"), ...others.map(rule)));
  at("rules").replaceChildren(...(items.length ? items : [make("li", "less", "None yet.")]));
  findLearned();
  if (key !== undefined) focusRule(key);
}

/** Show the corrections that have what is looked for, with their rules. */
function findLearned() {
  const wanted = at("find-learned").value.toLowerCase();
  for (const one of at("rules").children) one.hidden = !one.textContent.toLowerCase().includes(wanted);
}

/** Show a rule with the button that withdraws it, or uses it again. */
function ruleRow(pair, isWithdrawn) {
  const [source, target] = pair;
  const text = [isolated("b", "", readable(source)), " → ", isolated("b", "", readable(target))];
  const name = `${readable(source)} → ${readable(target)}`;
  const key = JSON.stringify(pair);
  const change = async () => {
    await ask("PUT", `${home()}/rules`, { source, target, withdrawn: !isWithdrawn });
    tell(isWithdrawn ? `The rule ${name} is used again.` : `The rule ${name} is withdrawn. The same button brings it back.`);
    await translateAnew();
    focusRule(key);
  };
  const button = makeButton("", () => attempt(change), isWithdrawn ? "Use again" : "Withdraw");
  button.dataset.key = key;
  button.setAttribute("aria-label", isWithdrawn ? `Use the rule ${name} again` : `Withdraw the rule ${name}`);
  return make("div", "rule", isWithdrawn ? make("del", "", ...text) : make("span", "", ...text), button);
}

/** Let the button of a rule have the focus, if the rule is still shown. */
function focusRule(key) {
  [...at("rules").querySelectorAll("button")].find((one) => one.dataset.key === key)?.focus();
}

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
    ? `${title}: ${last[name].toFixed(1)} with learning, ${last[untouched].toFixed(1)} by the untouched system`
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
    const lines = [[untouched, "without", "untouched", ends[1]], [name, "with", "with learning", ends[0]]];
    for (const [key, kind, text, end] of lines) {
      svg.append(drawn("polyline", { class: kind, points: points.map((one) => `${x(one).toFixed(1)},${y(one[key]).toFixed(1)}`).join(" ") }));
      svg.append(drawn("text", { class: kind, x: width - right + 5, y: end + 3 }, `${last[key].toFixed(1)} ${text}`));
    }
  } else svg.append(drawn("text", { x: left, y: height / 2 }, "after the first correction"));
  return make("figure", "", make("figcaption", "", title), svg);
}

at("term").addEventListener("submit", (event) => {
  event.preventDefault();
  attempt(async () => {
    await setTerm(at("term-source").value.trim(), at("term-target").value.trim(), false);
    at("term").reset();
  });
});
at("find-learned").addEventListener("input", findLearned);

// What was learned.

import { curves, numbers } from "./chart.js";
import { readChanges, showDocuments } from "./document.js";
import { at, isolated, make, makeButton } from "./elements.js";
import { showMemories } from "./knowledge.js";
import { home, now } from "./now.js";
import { translateAnew } from "./sentence.js";
import { ask, attempt } from "./server.js";
import { folded, readable } from "./text.js";
import { tellDone } from "./undo.js";

/** The corrections and terms that have what is looked for; null if nothing is. */
let found = null;
/** What the lists of rules and terms show: they are not made anew under a click when nothing of them has changed. */
let listedRules = "";
let listedTerms = "";

export function showState(state) {
  const before = now.state;
  now.state = state;
  const seconds = state.seconds_a_sentence;
  at("numbers").replaceChildren(
    ...numbers([
      ["corrections", String(state.accepted)],
      ["seconds per sentence", seconds === null ? "–" : seconds.toFixed(0)],
    ]),
  );
  at("charts").replaceChildren(...curves(state.points));
  showMemories(state);
  showTerms(state);
  if (at("find-learned").value.trim()) attempt(findLearned);
  else showRules(state);
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
  if (own && own.corrected > corrected && !now.sending) attempt(readChanges);
}

function showTerms(state) {
  const listed = found?.terms ?? state.terms;
  const terms = JSON.stringify([listed, found !== null, state.term_count]);
  if (terms === listedTerms) return;
  listedTerms = terms;
  const items = listed.map(([source, target]) => {
    const button = makeButton("", () => attempt(() => setTerm(source, target, true)), "Remove");
    button.setAttribute("aria-label", `Remove the term ${source} → ${target}`);
    const text = make("span", "", isolated("b", "", source), " → ", isolated("b", "", target));
    return make("li", "", make("div", "rule", text, button));
  });
  at("terms").replaceChildren(...items);
  const more = state.term_count - listed.length;
  at("terms-more").hidden = found !== null || more === 0;
  at("terms-more").textContent = `… and ${more} before: a search finds them, too.`;
}

/** Say that the machine does not use a term in the present sentence, if that has it. */
function unused(source, target) {
  const has = (text, term) => text.toLowerCase().includes(term.toLowerCase());
  const isUnused = now.shown && has(now.shown.line, source) && !has(now.shown.text, target);
  return isUnused ? " The machine translation of this sentence does not use it." : "";
}

/** Give a term to the session, or take it away, and translate the sentence with what is known now. */
async function setTerm(source, target, removed) {
  const from = document.activeElement;
  await ask("PUT", `${home()}/terms`, { source, target, removed });
  await translateAnew(from);
  tellDone(removed ? `The term ${source} is used no more.` : `Added the term ${source} → ${target}.${unused(source, target)}`, () => setTerm(source, target, !removed));
}

/** Withdraw what a correction has taught. */
export async function withdraw(number) {
  const from = document.activeElement;
  const path = `${home()}/corrections`;
  const { source, target, sentence } = await ask("GET", `${path}/${number}`);
  await ask("DELETE", `${path}/${number}`);
  await translateAnew(from);
  tellDone(`What correction ${number} has taught is withdrawn.`, async () => {
    if (sentence === null) await ask("POST", path, { source, target });
    else await ask("PUT", `${home()}/documents/${sentence.document}/sentences/${sentence.index}`, { target, revision: sentence.revision });
    await translateAnew();
  });
}

function showRules(state) {
  const rules = JSON.stringify([found?.corrections ?? state.corrections, state.withdrawn, state.kept, at("find-learned").value]);
  if (rules === listedRules) return;
  listedRules = rules;
  const key = document.activeElement?.dataset.key; // of a button that is made anew
  const withdrawn = new Set(state.withdrawn.map((one) => JSON.stringify(one)));
  const opened = new Set([...at("rules").querySelectorAll("details[open]")].map((one) => one.dataset.number));
  const shown = new Set();
  const rule = (pair, written) => {
    shown.add(JSON.stringify(pair));
    return ruleRow(pair, written, withdrawn.has(JSON.stringify(pair)));
  };
  const wanted = at("find-learned").value.trim();
  const listed = found?.corrections ?? state.corrections;
  const items = listed.map((one) => {
    const rules = one.rules.length ? one.rules.map((pair, i) => rule(pair, one.written[i])) : [make("div", "less", "no new rules of words")];
    const button = makeButton("", () => attempt(() => withdraw(one.number)), "Withdraw all");
    button.dataset.key = `all of ${one.number}`;
    button.setAttribute("aria-label", `Withdraw all that correction ${one.number} taught`);
    const told = one.rules.length ? sidesOf(one.written[0]) : [isolated("span", "less", one.target)];
    const fold = make("details", "", make("summary", "", `${one.number}. `, ...told), isolated("div", "less", one.target), ...rules, button);
    fold.title = `${one.source}\n${one.target}`;
    fold.dataset.number = String(one.number);
    fold.open = opened.has(fold.dataset.number);
    return make("li", "", fold);
  });
  const isWanted = (pair) => folded(pair.map(readable).join(" → ")).includes(folded(wanted));
  const others = state.withdrawn.filter((one) => !shown.has(JSON.stringify(one)) && isWanted(one));
  if (others.length) items.push(make("li", "", make("div", "less", "Withdrawn, of other corrections"), ...others.map((pair) => rule(pair, pair.map(readable)))));
  const more = state.kept - listed.length;
  if (!found && more > 0) items.push(make("li", "less", `… and ${more} before: a search finds them, too.`));
  const none = make("li", "less", wanted ? "No correction has that." : "None yet.");
  at("rules").replaceChildren(...(items.length ? items : [none]));
  if (key !== undefined) focusRule(key);
}

/** Show the corrections that have what is looked for, with their rules, and such terms. */
async function findLearned() {
  const wanted = at("find-learned").value.trim();
  const search = `find=${encodeURIComponent(wanted)}`;
  const asked = ["corrections", "terms"].map((kind) => wanted && ask("GET", `${home()}/${kind}?${search}`));
  const [corrections, terms] = await Promise.all(asked);
  if (wanted !== at("find-learned").value.trim()) return;
  found = wanted ? { corrections, terms } : null;
  showTerms(now.state);
  showRules(now.state);
}

/** Show both sides of a rule. */
const sidesOf = ([source, target]) => [isolated("b", "", source), " → ", isolated("b", "", target)];

/** Show a rule with the button that withdraws it, or uses it again. */
function ruleRow(pair, written, isWithdrawn) {
  const [source, target] = pair;
  const text = sidesOf(written);
  const name = written.join(" → ");
  const key = JSON.stringify(pair);
  const change = async (withdrawn) => {
    const from = document.activeElement;
    await ask("PUT", `${home()}/rules`, { source, target, withdrawn });
    await translateAnew(from);
    focusRule(key);
    tellDone(withdrawn ? `The rule ${name} is withdrawn. The same button brings it back.` : `The rule ${name} is used again.`, () => change(!withdrawn));
  };
  const button = makeButton("", () => attempt(() => change(!isWithdrawn)), isWithdrawn ? "Use again" : "Withdraw");
  button.dataset.key = key;
  button.setAttribute("aria-label", isWithdrawn ? `Use the rule ${name} again` : `Withdraw the rule ${name}`);
  return make("div", "rule", isWithdrawn ? make("del", "", ...text) : make("span", "", ...text), button);
}

/** Let the button of a rule or a correction have the focus, if it is still shown. */
function focusRule(key) {
  [...at("rules").querySelectorAll("button")].find((one) => one.dataset.key === key)?.focus();
}

at("term").addEventListener("submit", (event) => {
  event.preventDefault();
  attempt(async () => {
    await setTerm(at("term-source").value.trim(), at("term-target").value.trim(), false);
    at("term").reset();
  });
});
at("find-learned").addEventListener("input", () => attempt(findLearned));

// What memory and glossary have for the present sentence; a click or a key puts it into the field.

import { at, isolated, make, makeButton, remember } from "./elements.js";
import { emit, on } from "./events.js";
import { isComposed, write, writeOver } from "./field.js";
import { here, now } from "./now.js";
import { ask } from "./server.js";
import { common, cut, words } from "./text.js";

const KEYS = 9; // matches that have a key

/** Ask for the matches of the present sentence and for its foreign words, and show the matches that are wanted. */
async function showMatches() {
  const { shown } = now;
  const wanted = { memory: at("shows-memory").checked, terms: at("shows-terms").checked };
  const none = { memory: [], terms: [], foreign: [] };
  const path = `${here(shown.index)}/matches`;
  // Without an answer the sentence is translated without matches.
  const found = await ask("GET", path).catch(() => none);
  if (now.shown !== shown) return;
  const rows = [];
  if (wanted.memory) for (const one of found.memory) rows.push(memoryRow(one, rows.length));
  if (wanted.terms)
    for (const { place, targets } of found.terms)
      for (const target of targets) rows.push(termRow(cut(shown.line, ...place), target, rows.length));
  at("matches").replaceChildren(...rows);
  at("matches").hidden = !rows.length;
  shown.foreign = found.foreign;
  shown.terms = wanted.terms ? found.terms.map((one) => one.place) : [];
  emit("matches");
}

/** Show a sentence that was translated before, with the words that differ; its translation takes the place of the text. */
function memoryRow({ source, target, percent, corrected }, place) {
  const take = () => writeOver(target);
  const from = corrected ? "a correction" : "the memory";
  return row(place, `${percent} %`, `${percent} % like ${from}: ${source}`, marked(source), target, take);
}

/** Show a term of the sentence; its translation is put where the cursor is. */
function termRow(source, target, place) {
  return row(place, "term", `Term: ${source}`, [source], target, () => write(target));
}

function row(place, kind, title, source, target, take) {
  const key = place < KEYS ? [make("kbd", "", `Alt+${place + 1}`)] : [];
  const texts = [isolated("span", "match-source", ""), isolated("b", "", target)];
  texts[0].append(...source);
  const button = makeButton("match", take, make("span", "percent", kind), ...texts, ...key);
  button.title = `${title}. A click puts the translation into the field.`;
  return make("li", "", button);
}

/** Mark the words of a text that the present sentence does not have. */
function marked(text) {
  const [own, others] = [words(text), words(now.shown.line)];
  const kept = common(own.map((one) => one.segment), others.map((one) => one.segment));
  const parts = [];
  let end = 0;
  own.forEach(({ segment, index }, i) => {
    if (kept[i]) return;
    parts.push(text.slice(end, index), make("span", "other", segment));
    end = index + segment.length;
  });
  return [...parts, text.slice(end)];
}

document.addEventListener("keydown", (event) => {
  const digit = /^Digit([1-9])$/.exec(event.code);
  if (isComposed(event) || !event.altKey || event.ctrlKey || event.metaKey || !digit) return;
  const button = at("matches").querySelectorAll("button")[digit[1] - 1];
  if (!button) return;
  event.preventDefault();
  button.click();
});
on("sentence", showMatches);
for (const id of ["shows-memory", "shows-terms"]) remember(id, () => now.shown && showMatches());

// The present sentence as the machine translates it: source, phrases, derivation.

import { openAlternatives } from "./alternatives.js";
import { at, make, makeButton, remember } from "./elements.js";
import { on } from "./events.js";
import { here, now } from "./now.js";
import { ask, attempt } from "./server.js";
import { common, cut, sourceOf, words } from "./text.js";

/** Show a tag, a placeholder or code as a small mark; one that is too long is cut. */
function pieceOf(text) {
  const piece = make("span", "piece", text);
  piece.title = text;
  return piece;
}

function showSource() {
  const { line, places, unknown, kept, terms = [] } = now.shown;
  const parts = [];
  const named = (kind) => (text) => make("span", kind, text, make("span", "apart", ` (${kind})`));
  const marked = [
    ...terms.map((place) => [...place, named("term")]),
    ...unknown.map((i) => [...places[i], named("unknown")]),
    ...kept.map((place) => [...place, pieceOf]),
  ];
  let end = 0;
  for (const [from, to, mark] of marked.sort((a, b) => a[0] - b[0])) {
    if (from < end) continue;
    parts.push(cut(line, end, from), mark(cut(line, from, to)));
    end = to;
  }
  at("source").replaceChildren(...parts, cut(line, end));
}

function showPhrases() {
  let last = 0;
  const tagsUpTo = (end) => {
    const text = cut(now.shown.text, last, end).trim();
    return text ? [pieceOf(text)] : [];
  };
  const items = now.shown.phrases.flatMap((phrase) => {
    const open = () => attempt(() => openAlternatives(button, phrase));
    const button = makeButton(phrase.unknown ? "unknown" : "", open);
    button.setAttribute("aria-haspopup", "menu");
    button.title = `Of: ${sourceOf(phrase)}${phrase.learned ? " (a rule from a correction)" : ""}`;
    const tags = tagsUpTo(phrase.place[0]);
    last = phrase.place[1];
    return [...tags, button];
  });
  at("phrases").replaceChildren(...items, ...tagsUpTo());
  writePhrases();
}

/** Cut a part of a text where marks [begin, end, class, what it means] begin and end; marks may overlap. */
function marked(text, begin, end, marks) {
  const cuts = marks.flatMap((mark) => mark.slice(0, 2)).filter((place) => begin < place && place < end);
  const places = [...new Set([begin, ...cuts, end])].sort((a, b) => a - b);
  return places.slice(1).map((to, i) => {
    const here = marks.filter((mark) => mark[0] < to && places[i] < mark[1]);
    if (!here.length) return text.slice(places[i], to);
    const ended = here.filter((mark) => mark[1] <= to || to === end).map((mark) => make("span", "apart", mark[3]));
    return make("span", here.map((mark) => mark[2]).join(" "), text.slice(places[i], to), ...ended);
  });
}

/** Write the words into the buttons, which stay where they are: one of them may have the focus. */
function writePhrases() {
  const { phrases, untouched, text } = now.shown;
  const own = words(text);
  const plain = (one) => one.segment;
  const same = untouched === null ? null : common(own.map(plain), words(untouched).map(plain));
  const changed = own.filter((_, i) => same !== null && !same[i]).map((one) => [one.index, one.index + one.segment.length]);
  const marks = [
    ...changed.map((place) => [...place, "changed", " (changed by learning)"]),
    ...doubtful(now.shown).map((place) => [...place, "doubt", " (doubtful)"]),
  ];
  const buttons = at("phrases").querySelectorAll("button");
  phrases.forEach((phrase, i) => {
    const begin = cut(text, 0, phrase.place[0]).length;
    const end = begin + phrase.text.length;
    const button = buttons[i];
    button.replaceChildren(...marked(text, begin, end, marks));
    if (phrase.unknown) button.append(make("span", "apart", " (unknown)"));
  });
}

/** Give the places of the words that an editor would rather change than keep, if they are to be marked. */
function doubtful({ text, words: places, confidence }) {
  if (!at("doubts").checked) return [];
  const halves = (end) => cut(text, 0, end).length;
  return places.filter((_, i) => confidence[i] < 0.5).map((place) => place.map(halves));
}

/** Mark what learning has changed, when the untouched system's translation is known. */
async function compare() {
  const shown = now.shown;
  if (shown.untouched !== null || shown.problem) return;
  const found = await attempt(() => ask("GET", `${here(shown.index)}/untouched`));
  if (found && now.shown === shown) {
    shown.untouched = found.text;
    writePhrases();
  }
}

function drawDerivation() {
  if (!at("derivation").open || !now.shown || now.shown.problem) return;
  const image = new Image();
  image.alt = `Derivation of: ${now.shown.text}. ${now.shown.phrases
    .map((one) => `${sourceOf(one)}: ${one.text}`)
    .join("; ")}`;
  image.src = `/api/${here(now.index)}/derivation.svg?after=${now.state?.accepted ?? 0}`;
  at("drawing").replaceChildren(image);
}

on("sentence", () => {
  showSource();
  showPhrases();
  drawDerivation();
  compare();
});
on("matches", showSource);
remember("doubts", () => now.shown && writePhrases());
at("derivation").addEventListener("toggle", drawDerivation);

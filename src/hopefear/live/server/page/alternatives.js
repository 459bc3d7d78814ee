// Alternatives of a phrase, and why it is not what the untouched system says.

import { at, isolated, make, makeButton } from "./elements.js";
import { on } from "./events.js";
import { field, write } from "./field.js";
import { withdraw } from "./learning.js";
import { here, now } from "./now.js";
import { ask, attempt } from "./server.js";
import { cut, sourceOf, words } from "./text.js";

const EDGE = 8; // pixels between the alternatives and the edge of the window
const LEAST = 120; // pixels that the alternatives may have in any window
const SHOWN = 8; // alternatives that are listed
const ASKED = 24; // of which some may keep the clicked words

export async function openAlternatives(button, phrase) {
  const about = (what, [begin, end]) => ask("GET", `${here(now.index)}/${what}?begin=${begin}&end=${end}${what === "alternatives" ? `&most=${ASKED}` : ""}`);
  const isLearned = phrase.learned || button.querySelector(".changed") !== null;
  const [found, reasons] = await Promise.all([
    about("alternatives", phrase.source),
    isLearned ? about("reasons", phrase.target) : [],
  ]);
  const box = at("alternatives");
  const best = found[0]?.score ?? 0;
  const items = changes(phrase, found).map((change) => {
    const chosen = () => {
      closeAlternatives();
      replace(change);
    };
    const item = makeButton("", chosen, isolated("span", "", change.name || "(nothing)"), bar(change.score, best));
    item.setAttribute("role", "menuitem");
    return item;
  });
  const head = isolated("p", "less", sourceOf(phrase));
  head.setAttribute("role", "presentation");
  box.replaceChildren(head, ...items, ...because(reasons));
  box.hidden = false;
  box.opener = button;
  put(box, button);
  items[0]?.focus();
}

/** Draw how close a score is to the best; without one the alternative is of corrections. */
function bar(score, best) {
  if (score === null) return make("span", "less", "from corrections");
  const drawn = make("span", "bar");
  drawn.style.width = `${(100 / (1 + best - score)).toFixed(0)}%`;
  return make("span", "bars", drawn);
}

/** Give what alternatives write over the clicked words, with the words beside them that change, too; first what is there. */
function changes(phrase, found) {
  const { text: shown, words: places } = now.shown;
  const half = (place) => cut(shown, 0, place).length;
  const [first, last] = phrase.target;
  const begin = first ? half(places[first - 1][1]) : 0;
  const end = last < places.length ? half(places[last][0]) : shown.length;
  const gaps = [shown.slice(begin, half(places[first][0])), shown.slice(half(places[last - 1][1]), end)];
  const clicked = phrase.place.map((place) => half(place) - begin);
  const old = shown.slice(begin, end);
  const ends = (text) => [/^[\p{L}\p{N}]/u.test(text), /[\p{L}\p{N}]$/u.test(text)];
  const wasWord = ends(old.trim());
  // Tags stay where they are, and so do blanks between words.
  const gap = (blank, i, isWord) => (blank.trim() || gaps[i].trim() || (isWord[i] && wasWord[i]) ? gaps[i] : blank);
  const listed = new Map();
  for (const { text, before, after, score } of [{ text: old.trim(), before: gaps[0], after: gaps[1], score: found[0]?.score ?? 0 }, ...found]) {
    const whole = gap(before, 0, ends(text)) + text + gap(after, 1, ends(text));
    const [from, to, into] = changed(old, whole, clicked);
    const change = { begin: begin + from, end: begin + to, old: old.slice(from, to), text: into, name: into.trim(), score };
    const isKept = listed.size && change.old.trim() === change.name;
    if (!isKept && !listed.has(change.name)) listed.set(change.name, change);
  }
  return [...listed.values()].slice(0, SHOWN);
}

/** Give the part [begin, end) of a text that another text has otherwise, with what it has there; some of it counts as changed. */
function changed(text, other, [first, last]) {
  const [own, others] = [words(text), words(other)];
  const stop = (word) => word.index + word.segment.length;
  let head = 0;
  while (head < Math.min(own.length, others.length) && stop(own[head]) <= first && own[head].segment === others[head].segment) head++;
  let tail = 0;
  const left = () => Math.min(own.length, others.length) - head - tail;
  while (left() > 0 && own.at(-1 - tail).index >= last && own.at(-1 - tail).segment === others.at(-1 - tail).segment) tail++;
  const cuts = (list, whole) => [head ? stop(list[head - 1]) : 0, tail ? list.at(-tail).index : whole.length];
  return [...cuts(own, text), other.slice(...cuts(others, other))];
}

/** Put a box below a button, or above it where there is more room, and inside the window. */
function put(box, button) {
  box.style.left = box.style.top = "0"; // where it is as wide as its contents
  const { left, top, bottom } = button.getBoundingClientRect();
  const rooms = [innerHeight - bottom - 2 * EDGE, top - 2 * EDGE];
  const isBelow = box.scrollHeight <= rooms[0] || rooms[0] >= rooms[1];
  box.style.maxHeight = `${Math.max(rooms[isBelow ? 0 : 1], LEAST)}px`;
  const room = document.documentElement.clientWidth - box.offsetWidth - EDGE;
  box.style.left = `${Math.max(EDGE, Math.min(left, room)) + scrollX}px`;
  box.style.top = `${(isBelow ? bottom + 3 : Math.max(EDGE, top - 3 - box.offsetHeight)) + scrollY}px`;
}

/** Say why a phrase is not what the untouched system says; each correction can be taken back. */
function because(reasons) {
  const rows = reasons.map((reason) => {
    const row = make("div", "reason", make("span", "", ...told(reason)));
    row.setAttribute("role", "presentation");
    if (reason.number === null) return row;
    const back = () => {
      closeAlternatives();
      attempt(() => withdraw(reason.number));
    };
    const button = makeButton("", back, "Withdraw");
    button.setAttribute("role", "menuitem");
    button.setAttribute("aria-label", `Withdraw what ${named(reason)} taught`);
    row.append(button);
    return row;
  });
  if (!rows.length) return [];
  const head = make("p", "less", "Because");
  head.setAttribute("role", "presentation");
  return [head, ...rows];
}

/** Name the sentence whose correction is a reason. */
function named({ number, place }) {
  if (place === null) return `correction ${number}`;
  const [document, index] = place;
  const other = now.state.documents.find((one) => one.number === document && document !== now.document);
  return `sentence ${index + 1}${other ? ` of ${other.name}` : ""}`;
}

function told(reason) {
  const { kind, source, target, value } = reason;
  const sides = [isolated("b", "", source), " → ", isolated("b", "", target)];
  if (kind === "term") return ["a term: ", ...sides];
  if (kind === "rule") return [`you corrected ${named(reason)}: `, ...sides];
  if (kind === "words") return [`you corrected ${named(reason)}, which has `, isolated("b", "", target)];
  if (kind === "weight") return [`the weight of ${target} has moved: ${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(2)}`];
  const whose = reason.number === null ? "the memory has a sentence" : `you corrected ${named(reason)}`;
  return [`${whose}, ${Math.floor(value * 100)} % alike: `, isolated("b", "", target)];
}

export function closeAlternatives() {
  at("alternatives").hidden = true;
}

/** Write an alternative over the words that it replaces, or at the cursor if they are there no more. */
function replace({ begin, end, old, text, name }) {
  const { text: shown } = now.shown;
  const words = old.trim();
  if (field.value.trim() === shown) {
    const offset = field.value.indexOf(shown);
    return write(text, offset + begin, offset + end);
  }
  const place = words ? placeOf(words, field.value) : -1;
  if (place >= 0) return write(name, place, place + words.length);
  const [from, to] = [field.selectionStart, field.selectionEnd];
  const beside = (at) => /[\p{L}\p{N}]/u.test(field.value.charAt(at));
  const blanks = now.written && !shown.includes(" ") ? ["", ""] : [beside(from - 1) ? " " : "", beside(to) ? " " : ""];
  return write(blanks[0] + name + blanks[1], from, to);
}

/** Find words in a text: no letter or digit is beside them. */
function placeOf(wanted, text) {
  const inside = (index) => /[\p{L}\p{N}]{2}/u.test(text.slice(Math.max(0, index - 1), index + 1));
  for (let place = text.indexOf(wanted); place >= 0; place = text.indexOf(wanted, place + 1))
    if (!inside(place) && !inside(place + wanted.length)) return place;
  return -1;
}

at("alternatives").addEventListener("keydown", (event) => {
  const items = [...at("alternatives").querySelectorAll("button")];
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step) {
    event.preventDefault();
    items.at((items.indexOf(document.activeElement) + step) % items.length).focus();
  }
  if (event.key === "Tab") closeAlternatives();
});

on("leave", closeAlternatives);
document.addEventListener("click", (event) => {
  if (!at("alternatives").contains(event.target)) closeAlternatives();
});

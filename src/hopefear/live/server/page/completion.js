// Completion: behind what is typed stands in grey how the translation may go on.

import { at, makeButton, remember } from "./elements.js";
import { on } from "./events.js";
import { field, isComposed, write } from "./field.js";
import { here, now } from "./now.js";
import { ask } from "./server.js";
import { words } from "./text.js";

const ALTERNATIVES = 3; // words to name that may follow

/** What the server said last: `text` may go on with `rest`, or with one of some words. */
let said = { text: null, rest: "", following: [] };
let dismissed = null; // the text whose offer Escape has ended, also if an answer comes later
let asking = false;
let composing = false;

/** What may follow what the field has; empty if nothing is offered. */
function rest() {
  if (field.value === dismissed) return "";
  const whole = said.text === null ? "" : said.text + said.rest;
  return whole.startsWith(field.value) && field.value.startsWith(said.text) ? whole.slice(field.value.length) : "";
}

/** Begin with a sentence: offer what the machine says if nothing is typed, else nothing. */
function offerFrom() {
  dismissed = null;
  said = { text: null, rest: "", following: [] };
  if (at("completes").checked && !field.value) said = { text: "", rest: now.shown.text, following: [] };
  show();
}

/** Offer how the text may go on, unless the cursor is inside it or an input method composes a word. */
function offer() {
  dismissed = null;
  const offers = at("completes").checked && !composing && field.selectionStart === field.value.length;
  if (!offers || !rest()) said.text = null;
  if (offers && said.text === null) complete();
  show();
}

function completion(text, words = 0) {
  const { index, revision } = now.shown;
  return ask("POST", `${here(index)}/completion`, { text, words, revision });
}

/** Ask for completions until that of the present text has come; words that may follow it take longer. */
async function complete() {
  if (asking) return;
  asking = true;
  try {
    for (let words = 0; said.text !== field.value || words; ) {
      const text = field.value;
      const { shown } = now;
      const found = await completion(text, words);
      if (now.shown !== shown) return;
      said = { text, rest: found.rest, following: found.words };
      words = words || text !== field.value ? 0 : ALTERNATIVES;
      show();
    }
  } catch {
    said.text = null; // a translator types on without completions
    show();
  } finally {
    asking = false;
  }
}

function show() {
  const text = rest();
  at("typed").textContent = text && field.value;
  at("rest").textContent = text;
  at("offer").hidden = !text;
  const others = said.text === field.value ? said.following : [];
  at("following").replaceChildren(
    ...others.map(({ word }) => makeButton("", () => take(behind(word)), word)),
  );
}

/** Give what is to be typed for a word that may follow, or that the last word may become. */
function behind(word) {
  const last = /[^ \t\r\n]*$/.exec(field.value)[0];
  if (last && word.toLowerCase().startsWith(last.toLowerCase())) return word.slice(last.length);
  return /^[ \t\r\n]/.test(said.rest) ? ` ${word}` : word;
}

const take = (text) => write(text, field.value.length, field.value.length);

/** Give the first word of a text, with the blanks before it. */
function firstWord(text) {
  const [first] = words(text);
  return first === undefined ? text : text.slice(0, first.index + first.segment.length);
}

/** Let the machine say anew what follows the cursor. */
async function redo() {
  const { shown } = now;
  const text = field.value.slice(0, field.selectionStart);
  const found = await completion(text).catch(() => null);
  if (found === null || now.shown !== shown || !field.value.startsWith(text)) return;
  write(found.rest, text.length, field.value.length);
  field.setSelectionRange(text.length, text.length);
}

field.addEventListener("compositionstart", () => (composing = true));
field.addEventListener("compositionend", () => {
  composing = false;
  offer();
});
field.addEventListener("scroll", () => (at("ghost").scrollTop = field.scrollTop));
field.addEventListener("keydown", (event) => {
  if (isComposed(event) || event.shiftKey || event.altKey || event.metaKey) return;
  const text = rest();
  const keys = {
    Tab: text && !event.ctrlKey ? () => take(firstWord(text)) : null,
    ArrowRight: text && !event.ctrlKey && field.selectionStart === field.value.length ? () => take(text) : null,
    Escape: text ? () => ((dismissed = field.value), show()) : null,
    " ": event.ctrlKey ? redo : null,
  };
  if (!keys[event.key]) return;
  event.preventDefault();
  event.stopPropagation();
  keys[event.key]();
});
at("take-word").addEventListener("click", () => take(firstWord(rest())));
at("take-all").addEventListener("click", () => take(rest()));
at("redo").addEventListener("click", redo);
for (const id of ["completes", "starts-empty"]) remember(id, () => now.shown && offer());
on("filled", offerFrom);
on("edited", offer);

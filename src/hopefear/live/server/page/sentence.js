// The present sentence.

import { writeAddress } from "./address.js";
import { effortBegins, effortEnds, effortHere } from "./effort.js";
import { at, tell } from "./elements.js";
import { emit } from "./events.js";
import { readChanges } from "./document.js";
import { field, fill, isComposed } from "./field.js";
import { draftName, here, isOpen, now } from "./now.js";
import { ask, attempt } from "./server.js";
import { capital, split } from "./text.js";
import { tellDone } from "./undo.js";

/** The experts of a session, as a translator may know them. */
const EXPERTS = {
  certain: "the system, words that it did not know, and sentences that are close to corrected ones",
  untouched: "the system without corrections",
  adapted: "rules and words of corrections, and weights that stay",
  learned: "rules and words of corrections, and weights that learn",
};

/** The sentence that was wished for last, and the number of wishes: an answer to an older wish is not shown. */
const wish = { index: 0, number: 0 };

/** Wish for a sentence; null is none yet. Give a function that tells whether nothing else was wished for since. */
export function wishFor(index) {
  const number = ++wish.number;
  wish.index = index;
  return () => number === wish.number;
}

/** Go to a sentence, and tell whether it is shown; the focus follows unless it has left an element meanwhile. */
export async function go(index, from = document.activeElement) {
  if (!(index in now.sentences)) return false;
  const isWished = wishFor(index);
  if (index !== now.index) tell("");
  emit("leave");
  try {
    await leave();
    const shown = await ask("GET", here(index));
    if (isWished()) showSentence(shown, from);
  } catch (error) {
    if (isWished()) wish.index = now.index;
    throw error;
  }
  return isWished();
}

/** Go to a sentence by its number, from 1; say why not if there is none. */
export async function goTo(number) {
  const last = now.sentences.length;
  if (number >= 1 && number <= last && Number.isInteger(number)) await go(number - 1);
  else tell(`The document has the sentences 1 to ${last}.`, true);
}

/** Give the index of the sentence that was wished for last, which may not be shown yet. */
export const wished = () => wish.index;

/** Translate the sentence with what is known now. */
export async function translateAnew(from) {
  if (wish.index !== null) await go(wish.index, from);
}

function showSentence(shown, from) {
  leave(); // what was typed while the answer was on its way
  const isSame = now.shown?.document === shown.document && now.shown.index === shown.index;
  now.shown = shown;
  now.index = shown.index;
  doubted = null;
  writeAddress();
  effortBegins();
  const entry = now.sentences[now.index];
  const { state, target, draft, revision, text } = shown;
  Object.assign(entry, { state, target, draft, revision, machine: text });
  at("place").textContent = `Sentence ${now.index + 1} of ${now.sentences.length}${shown.status && `, ${shown.status} in the document`}`;
  at("notes").textContent = [shown.context, shown.notes].filter(Boolean).join("\n");
  at("notes").hidden = !at("notes").textContent;
  at("expert").textContent = at("expert").title = shown.expert === null ? "" : ` by “${shown.expert}”: ${EXPERTS[shown.expert]}`;
  const refused = shown.problem !== null;
  at("phrases-name").parentElement.hidden = at("phrases").hidden = at("legend").hidden = at("derivation").hidden = refused;
  showEnd();
  emit("sentence");
  const typed = sessionStorage.getItem(draftName(now.index));
  fill(typed ?? draft ?? target ?? (at("starts-empty").checked ? "" : text), isSame);
  if ([from, document.body].includes(document.activeElement)) {
    field.focus({ preventScroll: true });
    field.setSelectionRange(field.value.length, field.value.length);
    showWhole();
  }
  const faults = shown.complaints.length ? `The machine translation: ${shown.complaints.join("; ")}.` : "";
  complain(!refused ? faults : `The machine does not translate this: ${shown.problem}. Please translate it yourself.`);
}

/** Let the source of the sentence be seen, also in a low window. */
function showWhole() {
  const isSeen = at("place").getBoundingClientRect().top >= at("says").offsetHeight && at("confirm").getBoundingClientRect().bottom <= innerHeight;
  if (!isSeen) at("place").scrollIntoView();
}

/** Say beside the field what is wrong with the sentence or its translation. */
function complain(text) {
  at("problem").textContent = text;
  at("problem").hidden = !text;
}

/** Keep what was typed and not confirmed at the server, for other desks and other days. */
export async function leave() {
  const { shown } = now;
  const name = shown && draftName(shown.index);
  const text = shown && sessionStorage.getItem(name);
  if (text === null || now.sending) return;
  const sentence = now.sentences[shown.index];
  try {
    const kept = await ask("PUT", `${here(shown.index)}/draft`, { text, revision: shown.revision });
    if (sessionStorage.getItem(name) === text) sessionStorage.removeItem(name);
    Object.assign(sentence, kept);
    shown.draft = kept.draft;
  } catch {
    // It stays in this tab.
  }
}

/** The translation of the present sentence that was not accepted at first: confirmed once more, it is not checked. */
let doubted = null;

/** Confirm what the field has; nothing can be typed until the next sentence is there. */
async function learn() {
  if (now.sending || !now.shown) return;
  if (!field.value.trim()) return complain("A correction cannot be empty.");
  now.sending = field.readOnly = true;
  await attempt(confirm);
  now.sending = field.readOnly = false;
}

/** Send the correction; the answer comes when it is on the disk, and brings the next sentence. */
async function confirm() {
  const { shown } = now;
  const target = field.value;
  const from = document.activeElement;
  const name = draftName(shown.index);
  const sentence = now.sentences[shown.index];
  const check = doubted !== target;
  const before = sentence.state === "confirmed" ? sentence.target : null;
  const next = nextOpen();
  const isWished = wishFor(next ?? shown.index);
  let accepted;
  try {
    accepted = await ask("PUT", here(shown.index), { target, revision: shown.revision, next, check, effort: effortHere() });
  } catch (error) {
    sessionStorage.setItem(name, target);
    if (!isWished()) throw new Error(`Sentence ${shown.index + 1} is not confirmed. ${error.message}`);
    return unconfirmed(shown, error, from);
  }
  sessionStorage.removeItem(name);
  effortEnds(name);
  const text = now.written ? target.trim() : split(target).join(" ");
  const { number, revision, note } = accepted;
  Object.assign(sentence, { state: "confirmed", target: text, draft: null, revision });
  const said = number === null ? `Sentence ${shown.index + 1} is confirmed. ${note}` : note ?? `Learned correction ${number}.${afterwards(shown.index, next)}`;
  const undo = undoing(shown, before, revision);
  if (!isWished()) emit("sentences");
  else if (accepted.next) showSentence(accepted.next, from);
  else if ((await go(next ?? shown.index, from)) && next === null && document.activeElement === field) at("export-now").focus();
  tellDone(said, undo, number !== null && Boolean(note));
}

/** Give what undoes the confirmation of a sentence, and goes back to it: it is open again, or has its translation of before. */
function undoing({ index }, before, revision) {
  const path = here(index);
  const { document, session } = now;
  return async () => {
    if (before === null) await ask("DELETE", `${path}?revision=${revision}`);
    else await ask("PUT", path, { target: before, revision });
    if (now.session !== session || now.document !== document) return;
    await readChanges();
    await go(index);
  };
}

/** Stay at a sentence whose correction was not accepted, and say why. */
async function unconfirmed(shown, error, from) {
  wish.index = shown.index;
  if (error.status === 412) {
    doubted = field.value;
    return complain(`${capital(error.message)}. Enter confirms it anyway.`);
  }
  if (error.status !== 409) {
    complain(error.message);
    throw error;
  }
  await readChanges();
  await go(shown.index, from);
  tell("Someone else has confirmed this sentence in the meantime. Enter replaces their translation with yours.", true);
}

/** Give the index of the open sentence that comes next, from the beginning behind the end; null if none is open. */
function nextOpen() {
  const after = now.sentences.findIndex((one, i) => i > now.index && isOpen(one));
  const first = after < 0 ? now.sentences.findIndex((one, i) => i < now.index && isOpen(one)) : after;
  return first < 0 ? null : first;
}

/** Say what comes after a sentence, unless it is the one behind it. */
function afterwards(index, next) {
  if (next === null) return " All sentences are confirmed.";
  return next < index ? ` No later sentence is open: back to sentence ${next + 1}.` : "";
}

/** Offer, at the end of the document or when nothing is open, what is to be done. */
function showEnd() {
  const open = now.sentences.filter(isOpen).length;
  const last = now.index === now.sentences.length - 1;
  at("end").hidden = Boolean(open) && !(last && nextOpen() !== null);
  at("next-open").hidden = !open;
  at("export-now").hidden = Boolean(open);
  at("end-says").textContent = open
    ? `This is the last sentence; ${open} of ${now.sentences.length} are open.`
    : `All ${now.sentences.length} sentences are confirmed.`;
}

at("next-open").addEventListener("click", () => attempt(() => go(nextOpen())));
field.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey && !isComposed(event)) {
    event.preventDefault();
    learn();
  }
});

at("confirm").addEventListener("click", () => learn());

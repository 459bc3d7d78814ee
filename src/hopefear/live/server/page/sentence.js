// The present sentence.

import { effortBegins, effortEnds, effortHere } from "./effort.js";
import { at, tell } from "./elements.js";
import { emit } from "./events.js";
import { readChanges } from "./document.js";
import { field, fill } from "./field.js";
import { draftName, here, isOpen, now } from "./now.js";
import { ask, attempt } from "./server.js";
import { split } from "./text.js";

/** The experts of a session, as a translator may know them. */
const EXPERTS = {
  certain: "the system, words that it did not know, and sentences that are close to corrected ones",
  untouched: "the system without corrections",
  adapted: "rules and words of corrections, and weights that stay",
  learned: "rules and words of corrections, and weights that learn",
};

export async function go(index) {
  if (!(index in now.sentences)) return;
  emit("leave");
  await leave();
  now.index = index;
  showSentence(await ask("GET", here(index)));
}

function showSentence(shown) {
  now.shown = shown;
  now.index = shown.index;
  effortBegins();
  const entry = now.sentences[now.index];
  const { state, target, draft, revision, text } = shown;
  Object.assign(entry, { state, target, draft, revision, machine: text });
  at("place").textContent = `Sentence ${now.index + 1} of ${now.sentences.length}`;
  at("expert").textContent = shown.expert === null ? "" : ` by “${shown.expert}”: ${EXPERTS[shown.expert]}`;
  const refused = shown.problem !== null;
  at("phrases-name").parentElement.hidden = at("phrases").hidden = at("legend").hidden = at("derivation").hidden = refused;
  showEnd();
  emit("sentence");
  const typed = sessionStorage.getItem(draftName(now.index));
  fill(typed ?? draft ?? target ?? (at("starts-empty").checked ? "" : text));
  field.focus();
  field.setSelectionRange(field.value.length, field.value.length);
  const faults = shown.complaints.length ? `The machine's translation: ${shown.complaints.join("; ")}.` : "";
  complain(!refused ? faults : `The machine does not translate this: ${shown.problem}. Please translate it by hand.`);
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
  try {
    const kept = await ask("PUT", `${here(shown.index)}/draft`, { text, revision: shown.revision });
    if (sessionStorage.getItem(name) === text) sessionStorage.removeItem(name);
    if (now.shown === shown) Object.assign(now.sentences[shown.index], kept);
    shown.draft = kept.draft;
  } catch {
    // It stays in this tab.
  }
}

/** Send the correction; the answer comes when it is on the disk, and brings the next sentence. */
async function learn() {
  const shown = now.shown;
  const target = field.value;
  if (now.sending || !shown) return;
  if (!target.trim()) return complain("A correction cannot be empty.");
  now.sending = true;
  field.readOnly = true;
  try {
    const next = nextOpen();
    const body = { target, revision: shown.revision, next, effort: effortHere() };
    const accepted = await ask("PUT", here(shown.index), body);
    sessionStorage.removeItem(draftName(shown.index));
    effortEnds(shown.index);
    const text = now.written ? target.trim() : split(target).join(" ");
    const { revision } = accepted;
    Object.assign(now.sentences[shown.index], { state: "confirmed", target: text, draft: null, revision });
    const said = accepted.number === null ? `Sentence ${shown.index + 1} is confirmed. ${accepted.note}` : accepted.note ?? `Learned correction ${accepted.number}.${afterwards(shown.index, next)}`;
    tell(said, accepted.number !== null && Boolean(accepted.note));
    if (accepted.next) showSentence(accepted.next);
    else await go(next ?? shown.index);
    if (next === null) at("export-now").focus();
    if (accepted.complaints.length) tell(`${said} Sentence ${shown.index + 1}: ${accepted.complaints.join("; ")}.`, true);
  } catch (error) {
    if (error.status === 409) {
      await readChanges();
      await go(shown.index);
      fill(target);
      tell("Somebody else has corrected this sentence in the meantime. Enter replaces that correction by yours.", true);
    } else {
      tell(error.message, true);
      complain(error.message);
    }
  } finally {
    now.sending = false;
    field.readOnly = false;
  }
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
  return next < index ? ` Behind it none is open: on with sentence ${next + 1}.` : "";
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
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    learn();
  }
});

at("confirm").addEventListener("click", () => learn());

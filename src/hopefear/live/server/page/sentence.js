// The present sentence.

import { closeAlternatives, openAlternatives } from "./alternatives.js";
import { doubtful, offer, offerFrom } from "./completion.js";
import { effortBegins, effortEnds, effortHere } from "./effort.js";
import { at, make, makeButton, tell } from "./elements.js";
import { showList } from "./list.js";
import { drawMarks } from "./marks.js";
import { showMatches } from "./matches.js";
import { draftName, here, isOpen, now } from "./now.js";
import { ask, attempt } from "./server.js";
import { readChanges } from "./session.js";
import { between, common, cut, split, words } from "./text.js";

/** The experts of a session, as a translator may know them. */
const EXPERTS = {
  certain: "the system, words that it did not know, and sentences that are close to corrected ones",
  untouched: "the system without corrections",
  adapted: "rules and words of corrections, and weights that stay",
  learned: "rules and words of corrections, and weights that learn",
};

export async function go(index) {
  if (!(index in now.sentences)) return;
  closeAlternatives();
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
  showSource();
  showPhrases();
  showList();
  showEnd();
  showKept();
  const typed = sessionStorage.getItem(draftName(now.index));
  fill(typed ?? draft ?? target ?? (at("starts-empty").checked ? "" : text));
  at("target").focus();
  at("target").setSelectionRange(at("target").value.length, at("target").value.length);
  const faults = shown.complaints.length ? `The machine's translation: ${shown.complaints.join("; ")}.` : "";
  complain(!refused ? faults : `The machine does not translate this: ${shown.problem}. Please translate it by hand.`);
  drawDerivation();
  compare();
  showMatches();
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
  if (text === null || sending) return;
  try {
    const kept = await ask("PUT", `${here(shown.index)}/draft`, { text, revision: shown.revision });
    if (sessionStorage.getItem(name) === text) sessionStorage.removeItem(name);
    if (now.shown === shown) Object.assign(now.sentences[shown.index], kept);
    shown.draft = kept.draft;
  } catch {
    // It stays in this tab.
  }
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

export const sourceOf = (phrase) => between(now.shown.line, now.shown.places, phrase.source);

/** Show a tag, a placeholder or code as a small mark; one that is too long is cut. */
function pieceOf(text) {
  const piece = make("span", "piece", text);
  piece.title = text;
  return piece;
}

function showSource() {
  const { line, places, unknown, kept } = now.shown;
  const parts = [];
  const marked = [...unknown.map((i) => [...places[i], true]), ...kept.map((place) => [...place, false])];
  let end = 0;
  for (const [from, to, isUnknown] of marked.sort((a, b) => a[0] - b[0])) {
    if (from < end) continue;
    const text = cut(line, from, to);
    const part = isUnknown ? make("span", "unknown", text, make("span", "apart", " (unknown)")) : pieceOf(text);
    parts.push(cut(line, end, from), part);
    end = to;
  }
  at("source").replaceChildren(...parts, cut(line, end));
}

/** Show what the translation must keep, each a button that puts it into the text; those it lacks are marked. */
function showKept() {
  const { line, kept, kept_as } = now.shown;
  const buttons = kept.map(([begin, end], i) => {
    const piece = cut(line, begin, end);
    const button = makeButton("piece", () => putText(piece), piece);
    button.dataset.piece = piece;
    button.dataset.pattern = kept_as[i];
    return button;
  });
  at("kept").replaceChildren(...buttons);
  at("kept-name").hidden = at("kept").hidden = !buttons.length;
}

/** Mark the pieces that the text lacks, in any form that they may have: of several that are equal, the last ones. */
function checkKept() {
  const text = at("target").value;
  const seen = new Map();
  for (const button of at("kept").children) {
    const { piece, pattern } = button.dataset;
    seen.set(pattern, (seen.get(pattern) ?? 0) + 1);
    const isMissing = (text.match(new RegExp(pattern, "g")) ?? []).length < seen.get(pattern);
    button.classList.toggle("missing", isMissing);
    button.replaceChildren(piece, ...(isMissing ? [make("span", "apart", " (missing)")] : []));
    button.title = isMissing ? `The translation has no ${piece}: a click puts it where the cursor is.` : piece;
  }
}

/** Put a text where the cursor is, or in the place of the whole text. */
export function putText(text, whole = false) {
  const field = at("target");
  const [begin, end] = whole ? [0, field.value.length] : [field.selectionStart, field.selectionEnd];
  field.setRangeText(text, begin, end, "end");
  edited();
  field.focus();
}

/** Put a text into the field that nobody has typed. */
export function fill(text) {
  at("target").value = text;
  drawMarks();
  checkKept();
  offerFrom(now.shown);
}

/** Take in that somebody has changed the text of the field. */
export function edited() {
  sessionStorage.setItem(draftName(now.index), at("target").value);
  drawMarks();
  checkKept();
  offer();
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
export function writePhrases() {
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

function drawDerivation() {
  if (!at("derivation").open || !now.shown || now.shown.problem) return;
  const image = new Image();
  image.alt = `Derivation of: ${now.shown.text}. ${now.shown.phrases
    .map((one) => `${sourceOf(one)}: ${one.text}`)
    .join("; ")}`;
  image.src = `/api/${here(now.index)}/derivation.svg?after=${now.state?.accepted ?? 0}`;
  at("drawing").replaceChildren(image);
}

/** Send the correction; the answer comes when it is on the disk, and brings the next sentence. */
export let sending = false;

async function learn() {
  const shown = now.shown;
  const target = at("target").value;
  if (sending || !shown) return;
  if (!target.trim()) return complain("A correction cannot be empty.");
  sending = true;
  at("target").readOnly = true;
  try {
    const next = nextOpen();
    const body = { target, revision: shown.revision, next, effort: effortHere() };
    const accepted = await ask("PUT", here(shown.index), body);
    sessionStorage.removeItem(draftName(shown.index));
    effortEnds(shown.index);
    const text = now.written ? target.trim() : split(target.replace(/\s+/g, " ")).join(" ");
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
    sending = false;
    at("target").readOnly = false;
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
at("target").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    learn();
  }
});

at("confirm").addEventListener("click", () => learn());
at("target").addEventListener("input", edited);
at("derivation").addEventListener("toggle", drawDerivation);

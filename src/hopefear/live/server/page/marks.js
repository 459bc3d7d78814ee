// Tags, placeholders and code in the field: each has the ground of a mark, and keys and selections take it as a whole.

import { at, make } from "./elements.js";
import { on } from "./events.js";
import { field, isComposed, write } from "./field.js";
import { now } from "./now.js";
import { cut, words } from "./text.js";

/** Give where the field has marks of the sentence, from left to right; of those that overlap, the longer one. */
function places() {
  const { line, kept, kept_whole } = now.shown;
  const wanted = new Set(kept.filter((_, i) => kept_whole[i]).map(([begin, end]) => cut(line, begin, end)));
  const found = [];
  for (const mark of [...wanted].sort((a, b) => b.length - a.length))
    for (let begin = field.value.indexOf(mark); begin >= 0; begin = field.value.indexOf(mark, begin + mark.length)) {
      const end = begin + mark.length;
      if (found.every(([from, to]) => end <= from || to <= begin)) found.push([begin, end]);
    }
  return found.sort((a, b) => a[0] - b[0]);
}

/** Give where the field has words of the source as they are, from left to right, but for those that translations have, too, or pieces that are kept. */
function foreignPlaces() {
  const { source, foreign = [], kept_as } = now.shown;
  const kept = kept_as.flatMap((form) => [...field.value.matchAll(new RegExp(form, "g"))]);
  const isKept = (at) => kept.some((one) => one.index <= at && at < one.index + one[0].length);
  const wanted = new Set(foreign.map((i) => source[i].toLowerCase()).filter((word) => /\p{L}/u.test(word)));
  return words(field.value)
    .filter((one) => wanted.has(one.segment.toLowerCase()) && !isKept(one.index))
    .map((one) => [one.index, one.index + one.segment.length]);
}

/** Draw the ground of the marks behind the text, and lines below words that are not translated. */
function drawMarks() {
  const text = field.value;
  const parts = [];
  let last = 0;
  const all = now.shown ? [...places(), ...foreignPlaces().map((place) => [...place, "unknown"])] : [];
  for (const [begin, end, kind = ""] of all.sort((a, b) => a[0] - b[0])) {
    if (begin < last) continue;
    parts.push(text.slice(last, begin), make("mark", kind, text.slice(begin, end)));
    last = end;
  }
  at("marks").replaceChildren(...parts, text.slice(last));
  at("marks").scrollTop = field.scrollTop;
}

/** Let a selection begin and end beside marks, never in them; the cursor goes to the nearer end. */
function takeWhole() {
  if (document.activeElement !== field || !now.shown) return;
  const { selectionStart: begin, selectionEnd: end, selectionDirection: direction } = field;
  const inside = (at) => places().find(([from, to]) => from < at && at < to);
  const [first, last] = [inside(begin), inside(end)];
  if (!first && !last) return;
  if (begin !== end) return field.setSelectionRange(first?.[0] ?? begin, last?.[1] ?? end, direction);
  const nearer = begin - first[0] < first[1] - begin ? first[0] : first[1];
  field.setSelectionRange(nearer, nearer);
}

on("filled", drawMarks);
on("edited", drawMarks);
on("matches", drawMarks);
document.addEventListener("selectionchange", takeWhole);
field.addEventListener("scroll", () => (at("marks").scrollTop = field.scrollTop));
field.addEventListener("keydown", (event) => {
  if (isComposed(event) || event.ctrlKey || event.altKey || event.metaKey || !now.shown) return;
  const { selectionStart: begin, selectionEnd: end } = field;
  if (begin !== end) return;
  const before = places().find((place) => place[1] === begin);
  const behind = places().find((place) => place[0] === begin);
  const remove = (place) => write("", ...place);
  const [back, forth] = getComputedStyle(field).direction === "rtl" ? ["ArrowRight", "ArrowLeft"] : ["ArrowLeft", "ArrowRight"];
  const go = (to) => field.setSelectionRange(to, to);
  const keys = {
    Backspace: before && (() => remove(before)),
    Delete: behind && (() => remove(behind)),
    [back]: before && !event.shiftKey && (() => go(before[0])),
    [forth]: behind && !event.shiftKey && (() => go(behind[1])),
  };
  if (!keys[event.key]) return;
  event.preventDefault();
  keys[event.key]();
});

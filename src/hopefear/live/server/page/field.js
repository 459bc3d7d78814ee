// The field of the translation: what is typed there, and what others put into it.

import { at } from "./elements.js";
import { emit } from "./events.js";
import { draftName, now } from "./now.js";

export const field = at("target");

/** Write a text where the selection is, or over [begin, end) of the field, as typing does: the browser can undo it. */
export function write(text, begin = field.selectionStart, end = field.selectionEnd) {
  field.focus();
  field.setSelectionRange(begin, end);
  if (text || begin < end) document.execCommand(text ? "insertText" : "delete", false, text);
}

/** Write a text over the whole field. */
export const writeOver = (text) => write(text, 0, field.value.length);

/** Fill the field with the text of another sentence, or with what the same sentence has now. */
export function fill(text, isSame) {
  if (!isSame || field.value !== text) field.value = text;
  emit("filled");
}

/** Tell whether a key is one of an input method; in Safari Enter ends the composition before its event. */
export const isComposed = (event) => event.isComposing || event.keyCode === 229;

field.addEventListener("input", () => {
  sessionStorage.setItem(draftName(now.index), field.value);
  emit("edited");
});

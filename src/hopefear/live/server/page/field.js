// The field of the translation: what is typed there, and what others put into it.

import { at } from "./elements.js";
import { emit } from "./events.js";
import { draftName, now } from "./now.js";

export const field = at("target");

/** Put a text where the cursor is, or in the place of the whole text. */
export function putText(text, whole = false) {
  const [begin, end] = whole ? [0, field.value.length] : [field.selectionStart, field.selectionEnd];
  field.setRangeText(text, begin, end, "end");
  edited();
  field.focus();
}

/** Put a text into the field that nobody has typed. */
export function fill(text) {
  field.value = text;
  emit("filled");
}

/** Take in that somebody has changed the text of the field. */
export function edited() {
  sessionStorage.setItem(draftName(now.index), field.value);
  emit("edited");
}

field.addEventListener("input", edited);

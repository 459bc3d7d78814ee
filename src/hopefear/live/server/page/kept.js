// What the translation must keep: a button for each tag, placeholder and piece of code.

import { at, make, makeButton } from "./elements.js";
import { on } from "./events.js";
import { field, write } from "./field.js";
import { now } from "./now.js";
import { cut } from "./text.js";

/** Show what the translation must keep, each a button that puts it into the text; those it lacks are marked. */
function showKept() {
  const { line, kept, kept_as } = now.shown;
  const buttons = kept.map(([begin, end], i) => {
    const piece = cut(line, begin, end);
    const button = makeButton("piece", () => write(piece), piece);
    button.dataset.piece = piece;
    button.dataset.pattern = kept_as[i];
    return button;
  });
  at("kept").replaceChildren(...buttons);
  at("kept-name").hidden = at("kept").hidden = !buttons.length;
}

/** Mark the pieces that the text lacks, in any form that they may have: of several that are equal, the last ones. */
function checkKept() {
  const seen = new Map();
  for (const button of at("kept").children) {
    const { piece, pattern } = button.dataset;
    seen.set(pattern, (seen.get(pattern) ?? 0) + 1);
    const isMissing = (field.value.match(new RegExp(pattern, "g")) ?? []).length < seen.get(pattern);
    button.classList.toggle("missing", isMissing);
    button.replaceChildren(piece, ...(isMissing ? [make("span", "apart", " (missing)")] : []));
    button.title = isMissing ? `The translation has no ${piece}: a click puts it where the cursor is.` : piece;
  }
}

on("sentence", showKept);
on("filled", checkKept);
on("edited", checkKept);

// The sentences before and after the present one.

import { at, isolated, make } from "./elements.js";
import { on } from "./events.js";
import { textOf } from "./list.js";
import { now } from "./now.js";
import { go } from "./sentence.js";
import { attempt } from "./server.js";

const SIDE = 2; // sentences on each side

function showContext() {
  const rows = (first) => Array.from({ length: SIDE }, (_, i) => rowOf(first + i));
  at("before").replaceChildren(...rows(now.index - SIDE));
  at("after").replaceChildren(...rows(now.index + 1));
}

/** Show a sentence in one line; where there is none, an empty line keeps what is below in its place. */
function rowOf(index) {
  const sentence = now.sentences[index];
  if (!sentence) return make("li");
  const text = textOf(sentence);
  const row = make("li", "", make("span", "number", String(index + 1)), isolated("span", "", sentence.source), isolated("span", "target", text));
  row.dataset.state = sentence.state;
  row.title = text ? `${sentence.source}\n${text}` : sentence.source;
  row.addEventListener("click", () => attempt(() => go(index)));
  return row;
}

on("sentence", showContext);
on("sentences", showContext);
on("skimmed", showContext);

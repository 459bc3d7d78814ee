// The sentences before and after the present one.

import { at, make } from "./elements.js";
import { on } from "./events.js";
import { filled } from "./list.js";
import { now } from "./now.js";

const SIDE = 2; // sentences on each side

function showContext() {
  const rows = (first) => Array.from({ length: SIDE }, (_, i) => rowOf(first + i));
  at("before").replaceChildren(...rows(now.index - SIDE));
  at("after").replaceChildren(...rows(now.index + 1));
}

/** Show a sentence in one line; where there is none, an empty line keeps what is below in its place. */
const rowOf = (index) => (index in now.sentences ? filled(make("li"), index) : make("li"));

on("sentence", showContext);
on("sentences", showContext);
on("skimmed", showContext);

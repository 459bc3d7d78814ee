// Alternatives of a phrase, and why it is not what the untouched system says.

import { at, isolated, make, makeButton } from "./elements.js";
import { on } from "./events.js";
import { edited, field } from "./field.js";
import { withdraw } from "./learning.js";
import { here, now } from "./now.js";
import { ask, attempt } from "./server.js";
import { between, cut, readable, sourceOf } from "./text.js";

const EDGE = 8; // pixels between the alternatives and the edge of the window

export async function openAlternatives(button, phrase) {
  const about = (what, [begin, end]) => ask("GET", `${here(now.index)}/${what}?begin=${begin}&end=${end}`);
  const isLearned = phrase.learned || button.querySelector(".changed") !== null;
  const [found, reasons] = await Promise.all([
    about("alternatives", phrase.source),
    isLearned ? about("reasons", phrase.target) : [],
  ]);
  const box = at("alternatives");
  const best = found[0]?.score ?? 0;
  const items = found.map((one) => {
    const chosen = () => {
      closeAlternatives();
      replace(phrase, one.text);
    };
    const behind = make("span", "less", one.score === null ? "of corrections" : (one.score - best).toFixed(2));
    const item = makeButton("", chosen, isolated("span", "", one.text || "(nothing)"), behind);
    item.setAttribute("role", "menuitem");
    return item;
  });
  const head = isolated("p", "less", sourceOf(phrase));
  head.setAttribute("role", "presentation");
  box.replaceChildren(head, ...items, ...because(reasons));
  box.hidden = false;
  box.opener = button;
  put(box, button);
  items[0]?.focus();
}

/** Put a box below a button, and inside the window. */
function put(box, button) {
  box.style.left = "0"; // where it is as wide as its contents
  const room = document.documentElement.clientWidth - box.offsetWidth - EDGE;
  const { left, bottom } = button.getBoundingClientRect();
  box.style.left = `${Math.max(EDGE, Math.min(left, room)) + scrollX}px`;
  box.style.top = `${bottom + scrollY + 3}px`;
}

/** Say why a phrase is not what the untouched system says; each correction can be taken back. */
function because(reasons) {
  const rows = reasons.map((reason) => {
    const row = make("div", "reason", make("span", "", ...told(reason)));
    row.setAttribute("role", "presentation");
    if (reason.number === null) return row;
    const back = () => {
      closeAlternatives();
      attempt(() => withdraw(reason.number));
    };
    const button = makeButton("", back, "Take back");
    button.setAttribute("role", "menuitem");
    button.setAttribute("aria-label", `Take back what ${named(reason)} taught`);
    row.append(button);
    return row;
  });
  if (!rows.length) return [];
  const head = make("p", "less", "Because");
  head.setAttribute("role", "presentation");
  return [head, ...rows];
}

/** Name the sentence whose correction is a reason. */
function named({ number, place }) {
  if (place === null) return `correction ${number}`;
  const [document, index] = place;
  const other = now.state.documents.find((one) => one.number === document && document !== now.document);
  return `sentence ${index + 1}${other ? ` of ${other.name}` : ""}`;
}

function told(reason) {
  const { kind, source, target, value } = reason;
  const sides = [isolated("b", "", readable(source)), " → ", isolated("b", "", readable(target))];
  if (kind === "term") return ["a term: ", ...sides];
  if (kind === "rule") return [`you corrected ${named(reason)}: `, ...sides];
  if (kind === "words") return [`you corrected ${named(reason)}, which has `, isolated("b", "", readable(target))];
  if (kind === "weight") return [`the weight of ${target} has moved: ${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(2)}`];
  const whose = reason.number === null ? "the memory has a sentence" : `you corrected ${named(reason)}`;
  return [`${whose}, ${Math.floor(value * 100)} % alike: `, isolated("b", "", target)];
}

export function closeAlternatives() {
  at("alternatives").hidden = true;
}

/** Put an alternative into the translation, where the phrase stands. */
function replace(phrase, text) {
  const { text: shown, words: places } = now.shown;
  const [begin, end] = phrase.target;
  const old = between(shown, places, phrase.target);
  if (field.value.trim() === shown) {
    const before = cut(shown, 0, places[begin][0]);
    const after = cut(shown, places[end - 1][1]);
    field.value = text ? before + text + after : (before.trimEnd() + after).trimStart();
  } else {
    const place = placeOf(old, field.value);
    const [from, to] = place < 0 ? [field.selectionStart, field.selectionEnd] : [place, place + old.length];
    field.setRangeText(text, from, to, "end");
  }
  edited();
  field.focus();
}

/** Find words in a text: no letter or digit is beside them. */
function placeOf(wanted, text) {
  const inside = (index) => /[\p{L}\p{N}]{2}/u.test(text.slice(Math.max(0, index - 1), index + 1));
  for (let place = text.indexOf(wanted); place >= 0; place = text.indexOf(wanted, place + 1))
    if (!inside(place) && !inside(place + wanted.length)) return place;
  return -1;
}

at("alternatives").addEventListener("keydown", (event) => {
  const items = [...at("alternatives").querySelectorAll("button")];
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step) {
    event.preventDefault();
    items.at((items.indexOf(document.activeElement) + step) % items.length).focus();
  }
  if (event.key === "Tab") closeAlternatives();
});

on("leave", closeAlternatives);
document.addEventListener("click", (event) => {
  if (!at("alternatives").contains(event.target)) closeAlternatives();
});

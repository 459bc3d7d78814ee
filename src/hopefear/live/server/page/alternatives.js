// Alternatives of a phrase.

import { at, isolated, make, makeButton } from "./elements.js";
import { here, now } from "./now.js";
import { edited, sourceOf } from "./sentence.js";
import { ask } from "./server.js";
import { between, cut } from "./text.js";

export async function openAlternatives(button, phrase) {
  const [begin, end] = phrase.source;
  const found = await ask("GET", `${here(now.index)}/alternatives?begin=${begin}&end=${end}`);
  const box = at("alternatives");
  const best = found[0]?.score ?? 0;
  const items = found.map((one) => {
    const chosen = () => {
      closeAlternatives();
      replace(phrase, one.text);
    };
    const behind = make("span", "less", (one.score - best).toFixed(2));
    const item = makeButton("", chosen, isolated("span", "", one.text || "(nothing)"), behind);
    item.setAttribute("role", "menuitem");
    return item;
  });
  const head = isolated("p", "less", sourceOf(phrase));
  head.setAttribute("role", "presentation");
  box.replaceChildren(head, ...items);
  const { left, bottom } = button.getBoundingClientRect();
  box.style.left = `${left + scrollX}px`;
  box.style.top = `${bottom + scrollY + 3}px`;
  box.hidden = false;
  box.opener = button;
  items[0]?.focus();
}

export function closeAlternatives() {
  at("alternatives").hidden = true;
}

/** Put an alternative into the translation, where the phrase stands. */
function replace(phrase, text) {
  const field = at("target");
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

document.addEventListener("click", (event) => {
  if (!at("alternatives").contains(event.target)) closeAlternatives();
});

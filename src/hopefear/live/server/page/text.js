// Places and words in texts.

import { at, isolated, make } from "./elements.js";
import { now } from "./now.js";

/** Cut a text where the server says; the server counts characters, JavaScript counts halves of some. */
export const cut = (text, begin, end) => [...text].slice(begin, end).join("");

/** Give the text of the words [begin, end) that stand at some places of a text. */
export const between = (text, places, [begin, end]) => (begin < end ? cut(text, places[begin][0], places[end - 1][1]) : "");

/** Give the source text of a phrase of the present sentence. */
export const sourceOf = (phrase) => between(now.shown.line, now.shown.places, phrase.source);

/** Tell for each word of a text whether it is in a longest common subsequence with another text. */
export function common(words, others) {
  const size = Array.from({ length: words.length + 1 }, () => new Uint16Array(others.length + 1));
  for (let i = words.length - 1; i >= 0; i--)
    for (let j = others.length - 1; j >= 0; j--)
      size[i][j] = words[i] === others[j] ? size[i + 1][j + 1] + 1 : Math.max(size[i + 1][j], size[i][j + 1]);
  const kept = new Array(words.length).fill(false);
  for (let i = 0, j = 0; i < words.length && j < others.length; ) {
    if (words[i] === others[j]) kept[i++] = Boolean(++j);
    else if (size[i + 1][j] >= size[i][j + 1]) i++;
    else j++;
  }
  return kept;
}

/** Give a text as the server's search compares it: without case and accents, with straight quotes, one dash and one blank. */
export const folded = (text) =>
  text
    .normalize("NFD")
    .replace(/[\u0300-\u036f]/g, "")
    .replace(/[‘’‚‛ʼ]/g, "'")
    .replace(/[“”„‟«»]/g, '"')
    .replace(/[‐‑‒–—−]/g, "-")
    .replace(/[\u00a0\u202f\u3000]/g, " ")
    .toLowerCase();

/** Part a text where it has what is looked for: the parts, each with whether it is that. */
function parted(text, wanted) {
  const places = []; // in the text, of what is folded
  let flat = "";
  let place = 0;
  for (const character of text) {
    const same = folded(character);
    flat += same;
    places.push(...new Array(same.length).fill(place));
    place += character.length;
  }
  places.push(text.length);
  const sought = folded(wanted);
  const parts = [];
  let end = 0;
  for (let i = sought ? flat.indexOf(sought) : -1; i >= 0; i = flat.indexOf(sought, i + sought.length)) {
    const [first, last] = [places[i], places[i + sought.length]];
    parts.push([text.slice(end, first), false], [text.slice(first, last), true]);
    end = last;
  }
  return [...parts, [text.slice(end), false]].filter(([part]) => part);
}

const BEFORE = 40; // characters before the first hit that are shown

/** Make a text in which what is looked for is marked; it begins near the first hit. */
export function highlighted(kind, text, wanted) {
  const shown = isolated("span", kind, "");
  const parts = parted(text, wanted);
  const begin = (parts[0]?.[0].length ?? 0) - BEFORE;
  if (begin > BEFORE && parts.length > 1 && !parts[0][1]) parts[0][0] = `…${parts[0][0].slice(Math.max(begin, parts[0][0].indexOf(" ", begin)))}`;
  shown.append(...parts.map(([part, found]) => (found ? make("mark", "", part) : part)));
  return shown;
}

/** Count things in words. */
export const counted = (count, name) => `${count} ${name}${count === 1 ? "" : "s"}`;

/** Give a text with a capital at its begin. */
export const capital = (text) => text[0].toUpperCase() + text.slice(1);

export const split = (text) => text.split(/[ \t\r\n]+/).filter(Boolean);

/** Find the words of a translation that are compared: each with its place in the text. */
export function words(text) {
  if (!now.written) return [...text.matchAll(/[^ ]+/g)].map((one) => ({ segment: one[0], index: one.index }));
  const segmenter = new Intl.Segmenter(at("target").lang, { granularity: "word" });
  return [...segmenter.segment(text)].filter((one) => one.segment.trim());
}

/** Give a side of a rule without the marks that tell how its words are joined, and without the numbers of what it leaves open. */
export const readable = (text) => (now.written ? text.replace(/[￭▁]/g, "") : text).replace(/\[X,[1-9]\]/g, "…");

// The list of all sentences of the document. Only rows that can be seen are elements.

import { at, make } from "./elements.js";
import { on } from "./events.js";
import { isOpen, now } from "./now.js";
import { go, goTo, wished } from "./sentence.js";
import { attempt } from "./server.js";
import { capital, folded, highlighted } from "./text.js";

const ROW = 54; // the height of a row, in pixels, as page.css has it
const BEYOND = 5; // rows above and below those that can be seen

const grid = at("grid");

let listed = []; // indices of the sentences that are listed
let active = 0; // the place of the row that keys act on

/** What sentences a choice of the page has; other choices are states. */
const CHOICES = { all: () => true, open: isOpen };

/** Let the list be of the sentences of one state, too. */
export function nameStates(states) {
  at("choice").append(...states.map((state) => new Option(capital(state), state)));
}

/** Give what stands in the place of a translation: the accepted one, somebody's, or the machine's. */
export const textOf = ({ target, draft, machine }) => target ?? draft ?? machine ?? "";

/** List the sentences anew: they, the present one, the choice or what is looked for have changed. */
function showList() {
  const { sentences } = now;
  const wanted = folded(at("find").value);
  const has = (text) => folded(text).includes(wanted);
  const choice = at("choice").value;
  const chosen = CHOICES[choice] ?? ((one) => one.state === choice);
  listed = [];
  sentences.forEach((one, i) => {
    if (chosen(one) && (!wanted || has(one.source) || has(textOf(one)))) listed.push(i);
  });
  const open = sentences.filter(isOpen).length;
  at("progress").textContent = `${sentences.length - open} of ${sentences.length} confirmed`;
  at("none-listed").hidden = listed.length > 0;
  at("goto").max = sentences.length;
  grid.setAttribute("aria-rowcount", listed.length);
  at("rows").style.height = `${listed.length * ROW}px`;
  const place = listed.indexOf(now.index);
  if (place >= 0) activate(place);
  else draw();
}

/** Let a row be the one that keys act on, and be seen. */
function activate(place) {
  active = Math.max(0, Math.min(place, listed.length - 1));
  const top = active * ROW;
  if (top < grid.scrollTop + ROW) grid.scrollTop = top - ROW;
  else if (top > grid.scrollTop + grid.clientHeight - 2 * ROW) grid.scrollTop = top - grid.clientHeight + 2 * ROW;
  draw();
}

/** Go to the listed sentence that comes after the present one, or before it for -1, if there is one. */
export async function step(by) {
  const from = wished();
  const others = by > 0 ? listed.filter((index) => index > from) : listed.filter((index) => index < from).reverse();
  if (others.length) await go(others[0]);
}

/** Give the indices of the sentences whose rows can be seen. */
export function seen() {
  const begin = Math.floor(grid.scrollTop / ROW);
  return listed.slice(begin, begin + Math.ceil(grid.clientHeight / ROW));
}

/** Draw the rows that can be seen. */
function draw() {
  const begin = Math.max(0, Math.floor(grid.scrollTop / ROW) - BEYOND);
  const end = Math.min(listed.length, Math.ceil((grid.scrollTop + grid.clientHeight) / ROW) + BEYOND);
  const places = Array.from({ length: Math.max(0, end - begin) }, (_, i) => begin + i);
  at("rows").replaceChildren(...places.map(rowAt));
  if (begin <= active && active < end) grid.setAttribute("aria-activedescendant", `row-${active}`);
  else grid.removeAttribute("aria-activedescendant");
}

/** Fill a row with a sentence, in which what is looked for is marked, and maybe more; a click on it goes there. */
export function filled(row, index, wanted = "", ...more) {
  const sentence = now.sentences[index];
  const { source, state } = sentence;
  const text = textOf(sentence);
  row.append(make("span", "number", String(index + 1)), highlighted("source", source, wanted), highlighted("target", text, wanted), ...more);
  row.dataset.state = state;
  row.title = text ? `${source}\n${text}` : source;
  row.addEventListener("click", () => attempt(() => go(index)));
  return row;
}

function rowAt(place) {
  const index = listed[place];
  const row = filled(make("div", index === now.index ? "present" : ""), index, at("find").value, make("span", "state", now.sentences[index].state));
  for (const cell of row.children) cell.setAttribute("role", "gridcell");
  row.setAttribute("role", "row");
  row.setAttribute("aria-rowindex", place + 1);
  if (index === now.index) row.setAttribute("aria-current", "true");
  row.id = `row-${place}`;
  row.classList.toggle("active", place === active);
  row.style.top = `${place * ROW}px`;
  return row;
}

grid.addEventListener("scroll", draw);
new ResizeObserver(draw).observe(grid);
grid.addEventListener("keydown", (event) => {
  const page = Math.max(1, Math.floor(grid.clientHeight / ROW) - 1);
  const moves = {
    ArrowDown: active + 1,
    ArrowUp: active - 1,
    PageDown: active + page,
    PageUp: active - page,
    Home: 0,
    End: listed.length - 1,
  };
  if (event.altKey || !listed.length) return;
  if (event.key in moves) activate(moves[event.key]);
  else if (event.key === "Enter") attempt(() => go(listed[active]));
  else return;
  event.preventDefault();
});
on("sentence", showList);
on("sentences", showList);
on("skimmed", draw);
at("find").addEventListener("input", showList);
at("choice").addEventListener("change", showList);
at("goto").addEventListener("change", () => attempt(() => goTo(at("goto").valueAsNumber)));

// Memories and glossaries of the session, and what all that it has says about a text.

import { at, make, makeButton, shownDialog, tell } from "./elements.js";
import { field, isComposed } from "./field.js";
import { home, now } from "./now.js";
import { translateAnew } from "./sentence.js";
import { ask, attempt } from "./server.js";
import { counted, highlighted } from "./text.js";

const MOST = 50; // lines of the concordance

export function showMemories(state) {
  const items = state.memories.map(({ name, pairs }) => {
    const button = makeButton("", () => attempt(() => removeMemory(name)), "Remove");
    button.setAttribute("aria-label", `Remove the memory ${name}`);
    return make("li", "", make("div", "rule", make("span", "", `${name}: ${counted(pairs, "pair")}`), button));
  });
  at("memories").replaceChildren(...items);
}

async function removeMemory(name) {
  await ask("DELETE", `${home()}/memories?name=${encodeURIComponent(name)}`);
  tell(`The memory ${name} is removed.`);
  await translateAnew();
}

/** Bring a file of a memory or a glossary to the session. */
async function bring(path, file, say) {
  tell(`Reading ${file.name} …`);
  const content = new Blob([await file.arrayBuffer()]);
  tell(say(await ask("POST", `${home()}/${path}?name=${encodeURIComponent(file.name)}`, content)));
  await translateAnew();
}

export const bringMemory = (file) => bring("memories", file, ({ name, pairs }) => `Added the memory ${name}: ${counted(pairs, "pair")}.`);

export const bringGlossary = (file) =>
  bring("glossary", file, ({ added, known }) => `Added ${counted(added, "term")} of ${file.name}${known ? `; ${known} were there` : ""}.`);

let searching = false;

/** Search until the answer is that of what is looked for now, one search after the other. */
async function searchConcordance() {
  if (searching) return;
  searching = true;
  try {
    for (let wanted = null; wanted !== at("wanted").value.trim(); ) {
      wanted = at("wanted").value.trim();
      const path = `${home()}/concordance?most=${MOST}&find=${encodeURIComponent(wanted)}`;
      showConcordance(wanted, wanted ? await ask("GET", path) : []);
    }
  } finally {
    searching = false;
  }
}

/** Show which sentences have what is looked for, with their translations. */
function showConcordance(wanted, lines) {
  const rows = lines.map(({ source, target, origin, place }) => {
    const from = place ? `${origin}, sentence ${place[1] + 1}` : origin;
    const sides = [source, target].map((text) => highlighted("", text, wanted));
    return make("tr", "", ...sides.map((side) => make("td", "", side)), make("td", "less", from));
  });
  at("concorded").replaceChildren(...rows);
  at("concorded").closest(".wide").hidden = !rows.length;
  at("none-concorded").hidden = rows.length > 0 || !wanted;
}

const selectedInField = () => field.value.slice(field.selectionStart, field.selectionEnd).trim();

/** Give what is selected on the page, without what only a screen reader says. */
function selectedOnPage() {
  if (!getSelection().rangeCount) return "";
  const part = getSelection().getRangeAt(0).cloneContents();
  for (const one of part.querySelectorAll(".apart")) one.remove();
  return part.textContent.trim();
}

async function lookUp() {
  at("wanted").value = selectedInField() || selectedOnPage() || at("wanted").value;
  const closed = shownDialog(at("concordance"));
  at("wanted").select();
  await searchConcordance();
  await closed;
}

/** Make a term of what is selected: in the source, and in the translation. */
function makeTerm() {
  if (at("source").contains(getSelection().anchorNode)) at("term-source").value = selectedOnPage();
  at("term-target").value ||= selectedInField();
  at("learning").open = true;
  const empty = ["term-source", "term-target"].find((id) => !at(id).value);
  at(empty ?? "use-term").focus();
}

for (const [kind, bringFile] of [["memory", bringMemory], ["glossary", bringGlossary]]) {
  const chooser = at(`${kind}-file`);
  at(`add-${kind}`).addEventListener("click", () => chooser.click());
  chooser.addEventListener("change", () =>
    attempt(async () => {
      const [file] = chooser.files;
      if (file) await bringFile(file).finally(() => (chooser.value = ""));
    }),
  );
}
at("look-up").addEventListener("click", () => attempt(lookUp));
at("wanted").addEventListener("input", () => attempt(searchConcordance));
document.addEventListener("keydown", (event) => {
  const acts = { KeyK: () => attempt(lookUp), KeyT: makeTerm };
  if (isComposed(event) || !event.altKey || event.ctrlKey || event.metaKey || !now.shown || !(event.code in acts)) return;
  event.preventDefault();
  acts[event.code]();
});

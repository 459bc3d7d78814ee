// The export of a document, after its marks were checked.

import { at, make, shownDialog } from "./elements.js";
import { opened } from "./now.js";
import { go } from "./sentence.js";
import { ask, attempt } from "./server.js";

const SHOWN = 100; // sentences that are listed

/** Give the document, unless the translator goes to a sentence that has lost a mark or made one up. */
async function exportDocument() {
  const address = at("export").href;
  const faulty = await ask("GET", `${opened()}/complaints`);
  if (faulty.length) {
    at("faulty").replaceChildren(...faulty.slice(0, SHOWN).map(row));
    at("faulty-more").hidden = faulty.length <= SHOWN;
    at("faulty-more").textContent = `and ${faulty.length - SHOWN} more`;
    const chosen = await shownDialog(at("checking"));
    if (chosen.startsWith("sentence ")) await go(Number(chosen.slice("sentence ".length)));
    if (chosen !== "export") return;
  }
  const link = make("a");
  link.href = address;
  link.click();
}

/** Show what is wrong with a sentence, beside the button that leads to it. */
function row({ index, complaints }) {
  const button = make("button", "", `Sentence ${index + 1}`);
  button.value = `sentence ${index}`;
  return make("li", "", button, make("span", "", complaints.join("; ")));
}

for (const one of ["export", "export-now"])
  at(one).addEventListener("click", (event) => {
    event.preventDefault();
    attempt(exportDocument);
  });

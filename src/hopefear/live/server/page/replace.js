// A text is replaced in all translations of the document.

import { readChanges } from "./document.js";
import { at, isolated, make, shownDialog, tell } from "./elements.js";
import { textOf } from "./list.js";
import { here, now } from "./now.js";
import { translateAnew } from "./sentence.js";
import { ask, attempt } from "./server.js";
import { counted } from "./text.js";

const MOST = 50; // sentences that are shown before anything is replaced

/** List the translations that have what is looked for: the index of the sentence, and the text before and after. */
function replacements() {
  const [wanted, other] = [at("replaced").value, at("replacement").value];
  if (!wanted) return [];
  return now.sentences.flatMap((sentence, index) => {
    const text = textOf(sentence);
    return text.includes(wanted) ? [{ index, text, changed: text.split(wanted).join(other) }] : [];
  });
}

function showReplacements() {
  const listed = replacements();
  const rows = listed.slice(0, MOST).map(({ index, text, changed }) => {
    const cells = [make("td", "less", String(index + 1)), ...[text, changed].map((one) => make("td", "", isolated("span", "", one)))];
    return make("tr", "", ...cells);
  });
  at("to-replace").replaceChildren(...rows);
  at("to-replace").closest(".wide").hidden = !rows.length;
  at("replacing-says").textContent = at("replaced").value ? `In ${counted(listed.length, "sentence")}. A confirmed one is confirmed with its new text.` : "";
  at("replace-all").disabled = !listed.length;
}

/** Replace a text everywhere; what is confirmed is corrected once more, anything else becomes a draft. */
async function replaceAll() {
  const listed = replacements();
  let done = 0;
  try {
    for (const { index, changed } of listed) {
      const { target, revision } = now.sentences[index];
      if (target === null) await ask("PUT", `${here(index)}/draft`, { text: changed, revision });
      else await ask("PUT", here(index), { target: changed, revision });
      tell(`Replaced in ${++done} of ${listed.length} sentences.`);
    }
  } finally {
    await readChanges();
    await translateAnew();
    tell(`Replaced in ${done} of ${listed.length} sentences.`);
  }
}

at("replace").addEventListener("click", () =>
  attempt(async () => {
    at("replaced").value = at("find").value;
    at("replacement").value = "";
    showReplacements();
    if ((await shownDialog(at("replacing"))) === "replace") await replaceAll();
  }),
);
for (const id of ["replaced", "replacement"]) at(id).addEventListener("input", showReplacements);

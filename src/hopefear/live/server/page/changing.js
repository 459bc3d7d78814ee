// Sessions and documents get other names, and are deleted.

import { at, shownDialog, tell } from "./elements.js";
import { home, now } from "./now.js";
import { ask, attempt } from "./server.js";
import { openDocument, openSession } from "./session.js";

/** Ask for another name of something, or whether it is to be deleted; give the name, null for a deletion, else undefined. */
async function asked(kind, name, loss) {
  at("changing-name").textContent = `Rename or delete the ${kind}`;
  at("other-name").value = name;
  const chosen = await shownDialog(at("changing"));
  if (chosen === "rename") return at("other-name").value;
  if (chosen !== "delete") return undefined;
  at("deleting-name").textContent = `Delete the ${kind} “${name}”?`;
  at("loss").textContent = loss;
  return (await shownDialog(at("deleting"))) === "delete" ? null : undefined;
}

async function changeSession() {
  const { name, documents } = now.state;
  const loss = `Its documents (${documents.length}), their translations and all that it has learned are lost. Nothing brings them back.`;
  const given = await asked("session", name, loss);
  if (given === undefined) return;
  if (given !== null) {
    const { name: kept } = await ask("PATCH", home(), { name: given });
    now.state.name = at("sessions").selectedOptions[0].textContent = kept;
    tell(`The session is called ${kept} now.`);
    return;
  }
  await ask("DELETE", home());
  await openSession(null);
  await openDocument(null);
  tell(`The session ${name} is deleted.`);
}

async function changeDocument() {
  const { name, number } = now.state.documents.find((one) => one.number === now.document);
  const loss =
    "The document and its translations are lost: export it before, if you need them. What its corrections have taught stays in " +
    "the session; each of them can be withdrawn in the list of corrections, also later.";
  const given = await asked("document", name, loss);
  if (given === undefined) return;
  const path = `${home()}/documents/${number}`;
  if (given !== null) await ask("PATCH", path, { name: given });
  else await ask("DELETE", path);
  now.state = await ask("GET", home());
  await openDocument(given === null ? null : number);
  tell(given === null ? `The document ${name} is deleted.` : `The document is called ${given} now.`);
}

at("change-session").addEventListener("click", () => attempt(changeSession));
at("change-document").addEventListener("click", () => attempt(changeDocument));

// Sessions and documents.

import { at, options, tell } from "./elements.js";
import { showState } from "./learning.js";
import { readSentences, showDocuments } from "./document.js";
import { readAddress, writeAddress } from "./address.js";
import { home, isOpen, now, opened } from "./now.js";
import { go, goTo, leave, wishFor } from "./sentence.js";
import { ask, attempt } from "./server.js";
import { forgetActs } from "./undo.js";

let events = null;

export async function openSession(id) {
  wishFor(null);
  forgetActs();
  await leave();
  const sessions = await ask("GET", "sessions");
  if (!sessions.length) sessions.push(await ask("POST", "sessions", { name: "First session" }));
  now.session = (sessions.find((one) => one.id === id) ?? sessions[sessions.length - 1]).id;
  options(at("sessions"), sessions.map((one) => [one.id, one.name]), now.session);
  at("memory").href = `/api/${home()}/memory.tmx`;
  at("memory").hidden = false;
  now.state = null;
  showState(await ask("GET", home()));
  events?.close();
  events = new EventSource(`/api/${home()}/events`);
  events.onmessage = (event) => attempt(() => take(JSON.parse(event.data)));
}

/** Show what has changed in the session, here or at another desk. */
async function take(state) {
  showState(state);
  at("sessions").selectedOptions[0].textContent = state.name;
  if (now.document === null || state.documents.some((one) => one.number === now.document)) return;
  await openDocument(null);
  tell("The document was deleted.");
}

/** Open a document, at a sentence by its number or at the first that is open. */
export async function openDocument(number, sentence = null) {
  const from = document.activeElement;
  const isWished = wishFor(null);
  await leave();
  const documents = now.state.documents;
  const found = documents.find((one) => one.number === number) ?? documents[documents.length - 1];
  now.document = found?.number ?? null;
  showDocuments();
  at("empty").hidden = Boolean(found);
  at("sentence").hidden = at("export").hidden = at("change-document").hidden = !found;
  now.shown = null;
  if (!found) return writeAddress();
  at("export").href = at("export-now").href = `/api/${opened()}/export`;
  await readSentences();
  if (!isWished()) return;
  const first = now.sentences.findIndex(isOpen);
  const index = sentence - 1 in now.sentences ? sentence - 1 : first < 0 ? now.sentences.length - 1 : first;
  await go(index, from);
}

/** Open what the address names: session, document and sentence. */
export async function openAddress() {
  const named = readAddress();
  const number = named.document && Number(named.document);
  if (now.session === null || named.session !== now.session) await openSession(named.session);
  else if (number === now.document) return named.sentence && goTo(Number(named.sentence));
  await openDocument(number, named.sentence && Number(named.sentence));
}

window.addEventListener("popstate", () => attempt(openAddress));

// Sessions and documents.

import { at, options, tell } from "./elements.js";
import { showState } from "./learning.js";
import { readSentences, showDocuments } from "./document.js";
import { home, isOpen, now } from "./now.js";
import { go, leave, wishFor } from "./sentence.js";
import { ask, attempt } from "./server.js";

let events = null;

export async function openSession(id) {
  wishFor(null);
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

export async function openDocument(number) {
  const from = document.activeElement;
  const isWished = wishFor(null);
  await leave();
  const documents = now.state.documents;
  const found = documents.find((one) => one.number === number) ?? documents[documents.length - 1];
  now.document = found?.number ?? null;
  showDocuments();
  at("empty").hidden = Boolean(found);
  at("sentence").hidden = at("export").hidden = at("change-document").hidden = !found;
  remember();
  now.shown = null;
  if (!found) return;
  at("export").href = at("export-now").href = `/api/${home()}/documents/${now.document}/export`;
  await readSentences();
  if (!isWished()) return;
  const first = now.sentences.findIndex(isOpen);
  await go(first < 0 ? now.sentences.length - 1 : first, from);
}

/** Keep in the address which session and document are open, for a reload. */
function remember() {
  const kept = new URLSearchParams({ session: now.session ?? "", document: now.document ?? "" });
  history.replaceState(null, "", `#${kept}`);
}

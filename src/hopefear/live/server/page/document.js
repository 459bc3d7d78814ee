// The documents of the session, and the sentences of the one that is open.

import { at, options } from "./elements.js";
import { emit } from "./events.js";
import { now, opened } from "./now.js";
import { ask } from "./server.js";

export function showDocuments() {
  const named = (one) => [one.number, `${one.name} (${one.corrected} of ${one.sentences})`];
  options(at("documents"), now.state.documents.map(named), now.document);
}

/** Read the sentences of the document. */
export async function readSentences() {
  const path = opened();
  const { text, events } = await ask("GET", path);
  if (opened() === path) Object.assign(now, { sentences: text, sentencesOf: path, events });
}

/** Take in what other desks have done in the document, without the sentences that are as they were. */
export async function readChanges() {
  const path = opened();
  if (now.sentencesOf !== path) return; // it is still being opened
  const { sentences, events } = await ask("GET", `${path}/changes?after=${now.events}`);
  if (opened() !== path) return;
  now.events = events;
  for (const { index, ...known } of sentences) Object.assign(now.sentences[index], known);
  emit("sentences");
}

// The address names what is open, so that a reload stays there and Back goes to the sentence before.

import { now } from "./now.js";

/** Give what the address names: the ids of session and document, and the number of the sentence. */
export const readAddress = () => {
  const named = new URLSearchParams(location.hash.slice(1));
  return Object.fromEntries(["session", "document", "sentence", "token"].map((name) => [name, named.get(name) || null]));
};

/** Name what is open; another sentence is a step of the history of the browser. */
export function writeAddress() {
  const { session, document, shown } = now;
  const address = `#${new URLSearchParams({ session: session ?? "", document: document ?? "", ...(shown && { sentence: shown.index + 1 }) })}`;
  if (address === location.hash) return;
  const isStep = shown !== null && readAddress().sentence !== null;
  history[isStep ? "pushState" : "replaceState"](null, "", address);
}

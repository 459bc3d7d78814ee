// What happens on the page: the module that does it emits an event, and those that show it listen.

const events = new EventTarget();

/** The present sentence is left, or shown; its text is filled in, or edited; its matches have come; sentences of the document have changed; one was translated ahead. */
export const KINDS = ["leave", "sentence", "filled", "edited", "matches", "sentences", "skimmed"];

export const emit = (kind) => events.dispatchEvent(new Event(kind));

export function on(kind, listener) {
  if (!KINDS.includes(kind)) throw new Error(`no event is called ${kind}`);
  events.addEventListener(kind, () => listener());
}

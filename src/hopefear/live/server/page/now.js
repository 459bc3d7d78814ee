// What is open: session, document, sentence. All modules of the page share it.

export const now = { session: null, document: null, sentences: [], sentencesOf: null, events: 0, index: 0, shown: null, state: null, sending: false, written: false };

/** Tell whether a sentence is still to be confirmed. */
export const isOpen = (sentence) => sentence.state !== "confirmed";
export const home = () => `sessions/${now.session}`;
export const opened = () => `${home()}/documents/${now.document}`;
export const here = (index) => `${opened()}/sentences/${index}`;
export const draftName = (index) => `draft ${now.session} ${now.document} ${index}`;

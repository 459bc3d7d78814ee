// Rows that can be seen are translated while nobody types, so that a document can be skimmed.

import { emit, on } from "./events.js";
import { seen } from "./list.js";
import { here, now } from "./now.js";
import { ask } from "./server.js";

const IDLE = 1500; // milliseconds without a key, a click or a turn of the wheel

let timer = null;

function wait() {
  clearTimeout(timer);
  timer = setTimeout(skim, IDLE);
}

const isBare = ({ target, draft, machine }) => target === null && draft === null && machine === null;

/** Translate the first row that has no text, then the next one; whatever somebody does puts it off. */
async function skim() {
  const { session, document: number } = now;
  const near = [now.index + 1, now.index + 2].filter((one) => one in now.sentences);
  const index = [...near, ...seen()].find((one) => isBare(now.sentences[one]));
  if (index === undefined || number === null || now.sending || document.hidden) return;
  const begun = timer;
  const known = await ask("POST", `${here(index)}/skim`).catch(() => null);
  if (known === null || now.session !== session || now.document !== number) return;
  if (isBare(now.sentences[index])) now.sentences[index].machine = known.text;
  emit("skimmed");
  if (timer === begun) skim();
}

for (const kind of ["keydown", "pointerdown", "wheel"]) document.addEventListener(kind, wait, { passive: true });
on("sentence", wait);

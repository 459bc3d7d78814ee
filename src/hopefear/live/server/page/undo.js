// What was done is undone: by the button beside its message, by Alt+Z, or later in the list of what was done.

import { at, make, makeButton, tell } from "./elements.js";
import { attempt } from "./server.js";

const KEPT = 20; // acts that can be undone

/** What can be undone, the latest first: what was said of it, and what undoes it. */
let acts = [];

/** Say what was done, and offer to undo it. */
export function tellDone(text, undo, wrong = false) {
  acts = [{ text, undo }, ...acts].slice(0, KEPT);
  showActs();
  tell(text, wrong);
  at("undo").hidden = false;
}

/** Offer nothing to undo: another session is open. */
export function forgetActs() {
  acts = [];
  showActs();
}

async function undo(act) {
  acts = acts.filter((one) => one !== act);
  showActs();
  tell("");
  await attempt(act.undo);
}

function showActs() {
  const items = acts.map((act) => {
    const button = makeButton("", () => undo(act), "Undo");
    button.setAttribute("aria-label", `Undo: ${act.text}`);
    return make("li", "rule", make("span", "", act.text), button);
  });
  at("acts").replaceChildren(...items);
  at("history").hidden = !acts.length;
}

at("undo").addEventListener("click", () => undo(acts[0]));
document.addEventListener("keydown", (event) => {
  if (!event.altKey || event.ctrlKey || event.metaKey || event.code !== "KeyZ" || at("undo").hidden) return;
  event.preventDefault();
  undo(acts[0]);
});

// What the translator does for each sentence: keys, clicks, and the time without pauses.

import { at } from "./elements.js";
import { draftName, now } from "./now.js";

const PAUSE = 30; // after so many seconds without a key or a click nobody is thought to be there

const spent = new Map();
let last = performance.now();

/** Count the time since something was done last for the present sentence, and what is done now. */
function count(what) {
  const time = performance.now();
  const passed = Math.min((time - last) / 1000, PAUSE);
  last = time;
  if (!now.shown) return;
  const name = draftName(now.index);
  const effort = spent.get(name) ?? { keys: 0, clicks: 0, seconds: 0 };
  effort.seconds += passed;
  if (what) effort[what] += 1;
  spent.set(name, effort);
}

/** Give what was done for the present sentence since it was corrected last. */
export function effortHere() {
  count(null);
  return spent.get(draftName(now.index));
}

/** Count anew for the sentence of a draft: it is corrected. */
export const effortEnds = (name) => spent.delete(name);

/** Let the time that passes be of the sentence that is shown from now on. */
export const effortBegins = () => {
  last = performance.now();
};

const MODIFIERS = new Set(["Shift", "Control", "Alt", "AltGraph", "Meta", "CapsLock"]);
document.addEventListener("keydown", (event) => count(event.target === at("target") && !MODIFIERS.has(event.key) ? "keys" : null), true);
document.addEventListener("pointerdown", (event) => count(at("work").contains(event.target) ? "clicks" : null), true);

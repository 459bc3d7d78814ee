// Elements of the page, and what is said to the translator.

export const at = (id) => document.getElementById(id);

/** Make an element with a class and contents: texts and elements. */
export function make(tag, kind = "", ...contents) {
  const element = document.createElement(tag);
  if (kind) element.className = kind;
  element.append(...contents);
  return element;
}

/** Make a button that does something when it is pressed. */
export function makeButton(kind, pressed, ...contents) {
  const button = make("button", kind, ...contents);
  button.type = "button";
  button.addEventListener("click", pressed);
  return button;
}

/** Make an element with a text that has its own direction. */
export function isolated(tag, kind, text) {
  const element = make(tag, kind, text);
  element.dir = "auto";
  return element;
}

/** Say something in place of what was said before; what can be undone is told with `tellDone`. */
export function tell(text, wrong = false) {
  at("undo").hidden = true;
  at("status").textContent = at("status").title = text;
  at("status").classList.toggle("wrong", wrong);
}

/** Show a dialog, and wait until it is closed; give the value of the button. */
export function shownDialog(dialog) {
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue), { once: true });
  });
}

export function options(select, pairs, chosen) {
  select.replaceChildren(
    ...pairs.map(([value, text]) => {
      const option = make("option", "", text);
      option.value = String(value);
      option.selected = value === chosen;
      return option;
    }),
  );
}

/** Keep a switch of the page as it was, on this device; do something when it changes. */
export function remember(id, changed) {
  at(id).checked = (localStorage.getItem(id) ?? String(at(id).checked)) === "true";
  at(id).addEventListener("change", () => {
    localStorage.setItem(id, String(at(id).checked));
    changed();
  });
}

export function drawn(tag, attributes, text) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  if (text !== undefined) element.textContent = text;
  return element;
}

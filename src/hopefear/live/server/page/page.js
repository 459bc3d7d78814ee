// The translator's page. Every text of a document, a session or the server is set as text, never as HTML.

import "./changing.js";
import "./completion.js";
import "./export.js";
import "./kept.js";
import "./marks.js";
import "./matches.js";
import "./phrases.js";
import "./report.js";
import { closeAlternatives } from "./alternatives.js";
import { at, shownDialog, tell } from "./elements.js";
import { nameStates } from "./list.js";
import { draftName, home, now } from "./now.js";
import { fill } from "./field.js";
import { leave, step } from "./sentence.js";
import { ask, attempt } from "./server.js";
import { openDocument, openSession } from "./session.js";

document.addEventListener("keydown", (event) => {
  if (event.isComposing) return;
  if (event.key === "Escape" && !at("alternatives").hidden) {
    closeAlternatives();
    at("alternatives").opener.focus();
  }
  if (!event.altKey || event.ctrlKey || !now.shown) return;
  const moves = { ArrowDown: 1, ArrowUp: -1 };
  if (event.key in moves) {
    event.preventDefault();
    attempt(() => step(moves[event.key]));
  } else if (event.key.toLowerCase() === "r") {
    event.preventDefault();
    fill(now.shown.text);
    sessionStorage.setItem(draftName(now.index), now.shown.text);
  }
});

at("sessions").addEventListener("change", () =>
  attempt(async () => {
    await openSession(at("sessions").value);
    await openDocument(null);
  }),
);

at("documents").addEventListener("change", () => attempt(() => openDocument(Number(at("documents").value))));

at("new-session").addEventListener("click", () =>
  attempt(async () => {
    at("name").value = "";
    if ((await shownDialog(at("naming"))) !== "make") return;
    const made = await ask("POST", "sessions", { name: at("name").value });
    await openSession(made.id);
    await openDocument(null);
  }),
);

at("add-document").addEventListener("click", () =>
  attempt(async () => {
    at("pasted").value = at("file").value = "";
    if ((await shownDialog(at("adding"))) !== "add") return;
    const file = at("file").files[0] ?? new File([at("pasted").value], "pasted.txt");
    const path = `${home()}/documents?name=${encodeURIComponent(file.name)}`;
    const added = await ask("POST", path, new Blob([await file.arrayBuffer()]));
    now.state = await ask("GET", home());
    await openDocument(added.number);
    tell(`Added ${added.name}: ${added.sentences} sentences.`);
  }),
);

document.addEventListener("visibilitychange", () => {
  if (document.hidden) leave();
});

if (matchMedia("(max-width: 60rem)").matches) at("learning").open = false;

attempt(async () => {
  const kept = new URLSearchParams(location.hash.slice(1));
  const token = kept.get("token");
  if (token !== null) {
    history.replaceState(null, "", location.pathname);
    await ask("POST", "login", { token });
  }
  const system = await ask("GET", "system");
  at("system").textContent = system.system && `· ${system.system}`;
  document.title = system.system ? `hopefear · ${system.system}` : "hopefear";
  now.written = system.written;
  nameStates(system.states);
  at("source").lang = system.languages[0];
  at("target").lang = at("phrases").lang = system.languages[1];
  await openSession(kept.get("session"));
  await openDocument(kept.get("document") ? Number(kept.get("document")) : null);
}).finally(() => document.querySelector("main").removeAttribute("aria-busy"));

// The translator's page. Every text of a document, a session or the server is set as text, never as HTML.

import "./changing.js";
import "./completion.js";
import "./context.js";
import "./export.js";
import "./kept.js";
import "./marks.js";
import "./matches.js";
import "./phrases.js";
import "./replace.js";
import "./report.js";
import "./skim.js";
import { closeAlternatives } from "./alternatives.js";
import { readAddress } from "./address.js";
import { at, shownDialog, tell } from "./elements.js";
import { on } from "./events.js";
import { bringGlossary, bringMemory } from "./knowledge.js";
import { nameStates, step } from "./list.js";
import { isComposed, writeOver } from "./field.js";
import { home, now } from "./now.js";
import { leave } from "./sentence.js";
import { answered, ask, attempt } from "./server.js";
import { openAddress, openDocument, openSession } from "./session.js";
import { capital } from "./text.js";

document.addEventListener("keydown", (event) => {
  if (isComposed(event)) return;
  if (event.key === "Escape" && !at("alternatives").hidden) {
    closeAlternatives();
    at("alternatives").opener.focus();
  }
  if (!event.altKey || event.ctrlKey || !now.shown) return;
  const moves = { ArrowDown: 1, ArrowUp: -1 };
  if (event.key in moves) {
    event.preventDefault();
    attempt(() => step(moves[event.key]));
  } else if (event.code === "KeyR") { // with Alt, macOS types another letter
    event.preventDefault();
    writeOver(now.shown.text);
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
    const added = await answered(at("adding"), "add", () => send(at("file").files[0] ?? new File([at("pasted").value], "pasted.txt")));
    if (added) await showAdded(added);
  }),
);

/** The document that was refused because of its language: given once more, it is not checked. */
let doubted = null;

async function send(file) {
  const named = `${file.name} ${file.size}`;
  const path = `${home()}/documents?name=${encodeURIComponent(file.name)}&check=${doubted !== named}`;
  try {
    return await ask("POST", path, new Blob([await file.arrayBuffer()]));
  } catch (error) {
    if (error.status === 412) {
      doubted = named;
      error.message = `${capital(error.message)}. Add it once more if that is right.`;
    }
    throw error;
  }
}

const addDocument = async (file) => showAdded(await send(file));

async function showAdded(added) {
  now.state = await ask("GET", home());
  await openDocument(added.number);
  tell(`Added ${added.name}: ${added.sentences} sentences.`);
}

/** What dropped files of an ending are; all others are documents. */
const DROPPED = { tmx: bringMemory, tbx: bringGlossary };

document.addEventListener("dragover", (event) => {
  if (event.dataTransfer.types.includes("Files")) event.preventDefault();
});
document.addEventListener("drop", (event) => {
  if (!event.dataTransfer.files.length) return;
  event.preventDefault();
  const files = [...event.dataTransfer.files];
  attempt(async () => {
    for (const file of files) await (DROPPED[file.name.toLowerCase().split(".").pop()] ?? addDocument)(file);
  });
});

document.addEventListener("visibilitychange", () => {
  if (document.hidden) leave();
});

/** Show the page when it has a sentence, or cannot have one: so nothing moves while it is loaded. */
const showPage = () => document.querySelector("main").removeAttribute("aria-busy");

on("sentence", showPage);
if (matchMedia("(max-width: 60rem)").matches) at("learning").open = false;

attempt(async () => {
  const { token } = readAddress();
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
  await openAddress();
}).finally(showPage);

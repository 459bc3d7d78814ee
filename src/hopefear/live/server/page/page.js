// The translator's page. Every text of a document, a session or the server is set as text, never as HTML.

const at = (id) => document.getElementById(id);
const NEIGHBOURS = 3; // sentences that are shown before and after the present one

/** The experts of a session, as a translator may know them. */
const EXPERTS = {
  certain: "the system, words that it did not know, and sentences that are close to corrected ones",
  untouched: "the system without corrections",
  adapted: "rules and words of corrections, and weights that stay",
  learned: "rules and words of corrections, and weights that learn",
};

const now = { session: null, document: null, sentences: [], index: 0, shown: null, state: null, written: false };
let events = null;

/** Make an element with a class and contents: texts and elements. */
function make(tag, kind = "", ...contents) {
  const element = document.createElement(tag);
  if (kind) element.className = kind;
  element.append(...contents);
  return element;
}

function tell(text, wrong = false) {
  at("status").textContent = text;
  at("status").classList.toggle("wrong", wrong);
}

class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** Ask the server; bytes are sent as they are, anything else as JSON. */
async function ask(method, path, body, plain = false) {
  const type = body instanceof Blob ? "application/octet-stream" : "application/json";
  const given = body === undefined || body instanceof Blob ? body : JSON.stringify(body);
  let answer;
  try {
    answer = await fetch(`/api/${path}`, { method, body: given, headers: { "content-type": type } });
  } catch {
    throw new Refused(0, "The server does not answer. What was accepted is kept; try again when it runs.");
  }
  if (answer.status === 401 && path !== "login") {
    await logIn();
    return ask(method, path, body, plain);
  }
  if (!answer.ok) {
    const found = await answer.json().catch(() => ({}));
    throw new Refused(answer.status, found.detail ?? `The server answers ${answer.status}.`);
  }
  return answer.status === 204 ? null : plain ? answer.text() : answer.json();
}

/** Do something; say on the page what goes wrong. */
async function attempt(work) {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Refused)) console.error(error);
    tell(error.message, true);
    return undefined;
  }
}

/** Show a dialog, and wait until it is closed; give the value of the button. */
function shownDialog(dialog) {
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue), { once: true });
  });
}

async function logIn() {
  for (;;) {
    await shownDialog(at("login"));
    try {
      await ask("POST", "login", { token: at("token").value.trim() });
      at("token").value = "";
      tell("");
      return;
    } catch (error) {
      tell(error.message, true);
    }
  }
}

// Sessions and documents

const home = () => `sessions/${now.session}`;
const here = (index) => `${home()}/documents/${now.document}/sentences/${index}`;

function options(select, pairs, chosen) {
  select.replaceChildren(
    ...pairs.map(([value, text]) => {
      const option = make("option", "", text);
      option.value = String(value);
      option.selected = value === chosen;
      return option;
    }),
  );
}

async function openSession(id) {
  const sessions = await ask("GET", "sessions");
  if (!sessions.length) sessions.push(await ask("POST", "sessions", { name: "First session" }));
  now.session = (sessions.find((one) => one.id === id) ?? sessions[sessions.length - 1]).id;
  options(at("sessions"), sessions.map((one) => [one.id, one.name]), now.session);
  at("memory").href = `/api/${home()}/memory.tmx`;
  at("memory").hidden = false;
  now.state = null;
  showState(await ask("GET", home()));
  events?.close();
  events = new EventSource(`/api/${home()}/events`);
  events.onmessage = (event) => showState(JSON.parse(event.data));
}

async function openDocument(number) {
  const documents = now.state.documents;
  const found = documents.find((one) => one.number === number) ?? documents[documents.length - 1];
  now.document = found?.number ?? null;
  showDocuments();
  at("empty").hidden = Boolean(found);
  at("sentence").hidden = at("export").hidden = !found;
  remember();
  if (!found) return;
  at("export").href = `/api/${home()}/documents/${now.document}/export`;
  await readSentences();
  const first = now.sentences.findIndex((one) => one.target === null);
  await go(first < 0 ? now.sentences.length - 1 : first);
}

function showDocuments() {
  const named = (one) => [one.number, `${one.name} (${one.corrected} of ${one.sentences})`];
  options(at("documents"), now.state.documents.map(named), now.document);
}

async function readSentences() {
  now.sentences = (await ask("GET", `${home()}/documents/${now.document}`)).text;
}

/** Keep in the address which session and document are open, for a reload. */
function remember() {
  const kept = new URLSearchParams({ session: now.session ?? "", document: now.document ?? "" });
  history.replaceState(null, "", `#${kept}`);
}

const draftName = (index) => `draft ${now.session} ${now.document} ${index}`;

// The present sentence

async function go(index) {
  if (index < 0 || index >= now.sentences.length) return;
  closeAlternatives();
  now.index = index;
  showSentence(await ask("GET", here(index)));
}

function showSentence(shown) {
  now.shown = shown;
  now.index = shown.index;
  const entry = now.sentences[now.index];
  entry.target = shown.target;
  entry.revision = shown.revision;
  at("place").textContent = `Sentence ${now.index + 1} of ${now.sentences.length}`;
  at("expert").textContent = shown.expert === null ? "" : ` by “${shown.expert}”: ${EXPERTS[shown.expert]}`;
  showSource();
  showPhrases();
  showOthers();
  const draft = sessionStorage.getItem(draftName(now.index));
  at("target").value = draft ?? shown.target ?? shown.text;
  showKept();
  at("target").focus();
  at("target").setSelectionRange(at("target").value.length, at("target").value.length);
  const wrong = shown.problem ?? shown.complaints.join("; ");
  if (wrong) tell(wrong, true);
  drawDerivation();
  compare();
}

/** Mark what learning has changed, when the untouched system's translation is known. */
async function compare() {
  const shown = now.shown;
  if (shown.untouched !== null || shown.problem) return;
  const found = await attempt(() => ask("GET", `${here(shown.index)}/untouched`));
  if (found && now.shown === shown) {
    shown.untouched = found.text;
    writePhrases();
  }
}

/** Cut a text where the server says; the server counts characters, JavaScript counts halves of some. */
const cut = (text, begin, end) => [...text].slice(begin, end).join("");

/** Give the text of the words [begin, end) that stand at some places of a text. */
const between = (text, places, [begin, end]) => (begin < end ? cut(text, places[begin][0], places[end - 1][1]) : "");

const sourceOf = (phrase) => between(now.shown.line, now.shown.places, phrase.source);

/** Show a tag, a placeholder or code as a small mark; one that is too long is cut. */
function pieceOf(text) {
  const piece = make("span", "piece", text);
  piece.title = text;
  return piece;
}

function showSource() {
  const { line, places, unknown, kept } = now.shown;
  const parts = [];
  const marked = [...unknown.map((i) => [...places[i], true]), ...kept.map((place) => [...place, false])];
  let end = 0;
  for (const [from, to, isUnknown] of marked.sort((a, b) => a[0] - b[0])) {
    if (from < end) continue;
    const text = cut(line, from, to);
    const part = isUnknown ? make("span", "unknown", text, make("span", "apart", " (unknown)")) : pieceOf(text);
    parts.push(cut(line, end, from), part);
    end = to;
  }
  at("source").replaceChildren(...parts, cut(line, end));
}

/** Show what the translation must keep, each a button that puts it into the text; those it lacks are marked. */
function showKept() {
  const { line, kept, kept_as } = now.shown;
  const buttons = kept.map(([begin, end], i) => {
    const piece = cut(line, begin, end);
    const button = make("button", "piece", piece);
    button.type = "button";
    button.dataset.piece = piece;
    button.dataset.pattern = kept_as[i];
    button.addEventListener("click", () => {
      const field = at("target");
      field.setRangeText(piece, field.selectionStart, field.selectionEnd, "end");
      edited();
      field.focus();
    });
    return button;
  });
  at("kept").replaceChildren(...buttons);
  at("kept-name").hidden = at("kept").hidden = !buttons.length;
  checkKept();
}

/** Mark the pieces that the text lacks, in any form that they may have: of several that are equal, the last ones. */
function checkKept() {
  const text = at("target").value;
  const seen = new Map();
  for (const button of at("kept").children) {
    const { piece, pattern } = button.dataset;
    seen.set(pattern, (seen.get(pattern) ?? 0) + 1);
    const isMissing = (text.match(new RegExp(pattern, "g")) ?? []).length < seen.get(pattern);
    button.classList.toggle("missing", isMissing);
    button.replaceChildren(piece, ...(isMissing ? [make("span", "apart", " (missing)")] : []));
    button.title = isMissing ? `The translation has no ${piece}: a click puts it where the cursor is.` : piece;
  }
}

/** Take in that the text of the translation has changed. */
function edited() {
  sessionStorage.setItem(draftName(now.index), at("target").value);
  checkKept();
}

/** Tell for each word of a text whether it is in a longest common subsequence with another text. */
function common(words, others) {
  const size = Array.from({ length: words.length + 1 }, () => new Uint16Array(others.length + 1));
  for (let i = words.length - 1; i >= 0; i--)
    for (let j = others.length - 1; j >= 0; j--)
      size[i][j] = words[i] === others[j] ? size[i + 1][j + 1] + 1 : Math.max(size[i + 1][j], size[i][j + 1]);
  const kept = new Array(words.length).fill(false);
  for (let i = 0, j = 0; i < words.length && j < others.length; ) {
    if (words[i] === others[j]) kept[i++] = Boolean(++j);
    else if (size[i + 1][j] >= size[i][j + 1]) i++;
    else j++;
  }
  return kept;
}

const split = (text) => text.split(" ").filter(Boolean);

/** Find the words of a translation that are compared: each with its place in the text. */
function words(text) {
  if (!now.written) return [...text.matchAll(/[^ ]+/g)].map((one) => ({ segment: one[0], index: one.index }));
  const segmenter = new Intl.Segmenter(at("target").lang, { granularity: "word" });
  return [...segmenter.segment(text)].filter((one) => one.segment.trim());
}

function showPhrases() {
  let last = 0;
  const tagsUpTo = (end) => {
    const text = cut(now.shown.text, last, end).trim();
    return text ? [pieceOf(text)] : [];
  };
  const items = now.shown.phrases.flatMap((phrase) => {
    const button = make("button", phrase.unknown ? "unknown" : "");
    button.type = "button";
    button.setAttribute("aria-haspopup", "menu");
    button.title = `Of: ${sourceOf(phrase)}${phrase.learned ? " (a rule from a correction)" : ""}`;
    button.addEventListener("click", () => attempt(() => openAlternatives(button, phrase)));
    const tags = tagsUpTo(phrase.place[0]);
    last = phrase.place[1];
    return [...tags, button];
  });
  at("phrases").replaceChildren(...items, ...tagsUpTo());
  writePhrases();
}

/** Write the words into the buttons, which stay where they are: one of them may have the focus. */
function writePhrases() {
  const { phrases, untouched, text } = now.shown;
  const own = words(text);
  const plain = (one) => one.segment;
  const same = untouched === null ? null : common(own.map(plain), words(untouched).map(plain));
  const changed = own.filter((_, i) => same !== null && !same[i]);
  const buttons = at("phrases").querySelectorAll("button");
  phrases.forEach((phrase, i) => {
    const begin = cut(text, 0, phrase.place[0]).length;
    const end = begin + phrase.text.length;
    const parts = [];
    let last = begin;
    for (const { segment, index } of changed) {
      const [from, to] = [Math.max(index, begin), Math.min(index + segment.length, end)];
      if (from >= to) continue;
      parts.push(text.slice(last, from), make("span", "changed", text.slice(from, to), make("span", "apart", " (changed by learning)")));
      last = to;
    }
    const button = buttons[i];
    button.replaceChildren(...parts, text.slice(last, end));
    if (phrase.unknown) button.append(make("span", "apart", " (unknown)"));
  });
}

function showOthers() {
  const entry = (index) => {
    const { source, target } = now.sentences[index];
    const button = make("button", "", make("span", "text", source));
    if (target !== null) button.append(make("span", "done", target));
    button.type = "button";
    button.addEventListener("click", () => attempt(() => go(index)));
    return make("li", "", button);
  };
  const range = (from, to) => Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i);
  at("before").replaceChildren(...range(Math.max(0, now.index - NEIGHBOURS), now.index).map(entry));
  const end = Math.min(now.sentences.length, now.index + 1 + NEIGHBOURS);
  at("after").replaceChildren(...range(now.index + 1, end).map(entry));
}

function drawDerivation() {
  if (!at("derivation").open || !now.shown) return;
  const image = new Image();
  image.alt = `Derivation of: ${now.shown.text}. ${now.shown.phrases
    .map((one) => `${sourceOf(one)}: ${one.text}`)
    .join("; ")}`;
  image.src = `/api/${here(now.index)}/derivation.svg?after=${now.state?.accepted ?? 0}`;
  at("drawing").replaceChildren(image);
}

/** Send the correction; the answer comes when it is on the disk, and brings the next sentence. */
let sending = false;
async function learn() {
  const shown = now.shown;
  const target = at("target").value;
  if (sending || !shown) return;
  if (!target.trim()) return tell("A correction cannot be empty.", true);
  sending = true;
  at("target").readOnly = true;
  try {
    const rest = now.sentences.findIndex((one, i) => i > shown.index && one.target === null);
    const next = rest < 0 ? null : rest;
    const body = { target, revision: shown.revision, next };
    const accepted = await ask("PUT", here(shown.index), body);
    sessionStorage.removeItem(draftName(shown.index));
    const text = now.written ? target.trim() : split(target.replace(/\s+/g, " ")).join(" ");
    Object.assign(now.sentences[shown.index], { target: text, revision: accepted.revision });
    const said = accepted.note ?? `Learned correction ${accepted.number}.${next === null ? " The document has no further sentence." : ""}`;
    tell(said, Boolean(accepted.note));
    if (accepted.next) showSentence(accepted.next);
    else await go(next ?? shown.index);
    if (accepted.complaints.length) tell(`${said} Sentence ${shown.index + 1}: ${accepted.complaints.join("; ")}.`, true);
  } catch (error) {
    if (error.status === 409) {
      await readSentences();
      await go(shown.index);
      at("target").value = target;
      checkKept();
      tell("Somebody else has corrected this sentence in the meantime. Enter replaces that correction by yours.", true);
    } else tell(error.message, true);
  } finally {
    sending = false;
    at("target").readOnly = false;
  }
}

// Alternatives of a phrase

async function openAlternatives(button, phrase) {
  const [begin, end] = phrase.source;
  const found = await ask("GET", `${here(now.index)}/alternatives?begin=${begin}&end=${end}`);
  const box = at("alternatives");
  const best = found[0]?.score ?? 0;
  const items = found.map((one) => {
    const item = make("button", "", make("span", "", one.text || "(nothing)"), make("span", "less", (one.score - best).toFixed(2)));
    item.type = "button";
    item.setAttribute("role", "menuitem");
    item.addEventListener("click", () => {
      closeAlternatives();
      replace(phrase, one.text);
    });
    return item;
  });
  const head = make("p", "less", sourceOf(phrase));
  head.setAttribute("role", "presentation");
  box.replaceChildren(head, ...items);
  const { left, bottom } = button.getBoundingClientRect();
  box.style.left = `${left + scrollX}px`;
  box.style.top = `${bottom + scrollY + 3}px`;
  box.hidden = false;
  box.opener = button;
  items[0]?.focus();
}

function closeAlternatives() {
  at("alternatives").hidden = true;
}

/** Put an alternative into the translation, where the phrase stands. */
function replace(phrase, text) {
  const field = at("target");
  const { text: shown, words: places } = now.shown;
  const [begin, end] = phrase.target;
  const old = between(shown, places, phrase.target);
  if (field.value.trim() === shown) {
    const before = cut(shown, 0, places[begin][0]);
    const after = cut(shown, places[end - 1][1]);
    field.value = text ? before + text + after : (before.trimEnd() + after).trimStart();
  } else {
    const place = placeOf(old, field.value);
    const [from, to] = place < 0 ? [field.selectionStart, field.selectionEnd] : [place, place + old.length];
    field.setRangeText(text, from, to, "end");
  }
  edited();
  field.focus();
}

/** Find words in a text: no letter or digit is beside them. */
function placeOf(wanted, text) {
  const inside = (index) => /[\p{L}\p{N}]{2}/u.test(text.slice(Math.max(0, index - 1), index + 1));
  for (let place = text.indexOf(wanted); place >= 0; place = text.indexOf(wanted, place + 1))
    if (!inside(place) && !inside(place + wanted.length)) return place;
  return -1;
}

// What was learned

function showState(state) {
  const before = now.state;
  now.state = state;
  const last = state.points.at(-1);
  const speed = state.sentences_a_minute;
  const numbers = [
    ["corrections", String(state.accepted)],
    ["sentences a minute", speed === null ? "–" : speed.toFixed(1)],
    ["HTER, lower is better", last ? last.hter.toFixed(1) : "–"],
    ["BLEU, higher is better", last ? last.bleu.toFixed(1) : "–"],
  ];
  at("numbers").replaceChildren(...numbers.map(([name, value]) => make("div", "", make("dt", "", name), make("dd", "", value))));
  at("charts").replaceChildren(
    chart("HTER of what was shown", state.points, "hter", "untouched_hter"),
    chart("BLEU of what was shown", state.points, "bleu", "untouched_bleu"),
  );
  showTerms(state);
  showRules(state);
  const rows = state.weights.map((one) => {
    const name = make("th", "", one.name);
    name.scope = "row";
    return make("tr", "", name, ...[one.before, one.now].map((value) => make("td", "", value.toFixed(3))));
  });
  const head = ["feature", "before", "now"].map((name) => make("th", "", name));
  at("weights").replaceChildren(make("thead", "", make("tr", "", ...head)), make("tbody", "", ...rows));
  if (before === null) return;
  if (now.document !== null || state.documents.length) showDocuments();
  const own = state.documents.find((one) => one.number === now.document);
  const corrected = now.sentences.filter((one) => one.target !== null).length;
  if (own && own.corrected > corrected && !sending)
    attempt(async () => {
      await readSentences();
      showOthers();
    });
}

function showTerms(state) {
  const items = state.terms.map(([source, target]) => {
    const button = make("button", "", "Remove");
    button.type = "button";
    button.setAttribute("aria-label", `Remove the term ${source} → ${target}`);
    button.addEventListener("click", () => attempt(() => setTerm(source, target, true)));
    const text = make("span", "", make("b", "", source), " → ", make("b", "", target));
    return make("li", "", make("div", "rule", text, button));
  });
  at("terms").replaceChildren(...items);
}

/** Give a term to the session, or take it away, and translate the sentence with what is known now. */
async function setTerm(source, target, removed) {
  await ask("PUT", `${home()}/terms`, { source, target, removed });
  tell(removed ? `The term ${source} is used no more.` : `${source} is translated as ${target} from now on.`);
  if (now.document !== null) await go(now.index);
}

function showRules(state) {
  const key = document.activeElement?.dataset.key; // of a button that is made anew
  const withdrawn = new Set(state.withdrawn.map((one) => JSON.stringify(one)));
  const shown = new Set();
  const rule = (pair) => {
    shown.add(JSON.stringify(pair));
    return ruleRow(pair, withdrawn.has(JSON.stringify(pair)));
  };
  const items = state.corrections.map((one) => {
    const rules = one.rules.length ? one.rules.map(rule) : [make("div", "less", "no new rules of words")];
    const button = make("button", "", "Withdraw all");
    button.type = "button";
    button.setAttribute("aria-label", `Withdraw all that correction ${one.number} taught`);
    button.addEventListener("click", () =>
      attempt(async () => {
        await ask("DELETE", `${home()}/corrections/${one.number}`);
        tell(`The rules of correction ${one.number} are withdrawn.`);
        if (now.document !== null) await go(now.index);
      }),
    );
    return make("li", "", ...rules, make("div", "rule pair", make("span", "", `${one.number}. ${one.target}`), button));
  });
  const others = state.withdrawn.filter((one) => !shown.has(JSON.stringify(one)));
  if (others.length) items.push(make("li", "", make("div", "less", "Withdrawn, of other corrections"), ...others.map(rule)));
  at("rules").replaceChildren(...(items.length ? items : [make("li", "less", "None yet.")]));
  if (key !== undefined) focusRule(key);
}

/** Give words of rules without the marks that tell how they are joined to a text as it is written. */
const readable = (text) => (now.written ? text.replace(/[￭▁]/g, "") : text);

/** Show a rule with the button that withdraws it, or uses it again. */
function ruleRow(pair, isWithdrawn) {
  const [source, target] = pair;
  const text = [make("b", "", readable(source)), " → ", make("b", "", readable(target))];
  const name = `${readable(source)} → ${readable(target)}`;
  const button = make("button", "", isWithdrawn ? "Use again" : "Withdraw");
  button.type = "button";
  button.dataset.key = JSON.stringify(pair);
  button.setAttribute("aria-label", isWithdrawn ? `Use the rule ${name} again` : `Withdraw the rule ${name}`);
  button.addEventListener("click", () =>
    attempt(async () => {
      await ask("PUT", `${home()}/rules`, { source, target, withdrawn: !isWithdrawn });
      tell(isWithdrawn ? `The rule ${name} is used again.` : `The rule ${name} is withdrawn. The same button brings it back.`);
      if (now.document !== null) await go(now.index);
      focusRule(button.dataset.key);
    }),
  );
  return make("div", "rule", isWithdrawn ? make("del", "", ...text) : make("span", "", ...text), button);
}

/** Let the button of a rule have the focus, if the rule is still shown. */
function focusRule(key) {
  [...at("rules").querySelectorAll("button")].find((one) => one.dataset.key === key)?.focus();
}

function drawn(tag, attributes, text) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  if (text !== undefined) element.textContent = text;
  return element;
}

/** Draw a score over the corrections, with learning and without. */
function chart(title, points, name, untouched) {
  const [width, height, left, right, top, bottom] = [340, 130, 30, 108, 8, 20];
  const values = points.flatMap((one) => [one[name], one[untouched]]);
  const least = Math.floor(Math.min(...values, 100) / 10) * 10;
  const most = Math.max(Math.ceil(Math.max(...values, 0) / 10) * 10, least + 10);
  const last = points.at(-1);
  const x = (one) => left + ((width - left - right) * (one.corrections - 1)) / Math.max(1, (last?.corrections ?? 1) - 1);
  const y = (value) => top + ((height - top - bottom) * (most - value)) / (most - least);
  const label = last
    ? `${title}: ${last[name].toFixed(1)} with learning, ${last[untouched].toFixed(1)} by the untouched system`
    : `${title}: no correction yet`;
  const svg = drawn("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label });
  for (const value of points.length ? [least, (least + most) / 2, most] : []) {
    svg.append(drawn("line", { class: "axis", x1: left, x2: width - right, y1: y(value), y2: y(value) }));
    svg.append(drawn("text", { x: left - 5, y: y(value) + 3, "text-anchor": "end" }, value));
  }
  if (last) {
    svg.append(drawn("text", { x: left, y: height - 5 }, "1"));
    svg.append(drawn("text", { x: width - right, y: height - 5, "text-anchor": "end" }, `${last.corrections} corrections`));
    const ends = [y(last[name]), y(last[untouched])];
    if (Math.abs(ends[0] - ends[1]) < 11) ends[ends[0] <= ends[1] ? 1 : 0] = Math.min(...ends) + 11;
    const lines = [[untouched, "without", "untouched", ends[1]], [name, "with", "with learning", ends[0]]];
    for (const [key, kind, text, end] of lines) {
      svg.append(drawn("polyline", { class: kind, points: points.map((one) => `${x(one).toFixed(1)},${y(one[key]).toFixed(1)}`).join(" ") }));
      svg.append(drawn("text", { class: kind, x: width - right + 5, y: end + 3 }, `${last[key].toFixed(1)} ${text}`));
    }
  } else svg.append(drawn("text", { x: left, y: height / 2 }, "after the first correction"));
  return make("figure", "", make("figcaption", "", title), svg);
}

// What the translator does

at("target").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    learn();
  }
});
at("target").addEventListener("input", edited);
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !at("alternatives").hidden) {
    closeAlternatives();
    at("alternatives").opener.focus();
  }
  if (!event.altKey || event.ctrlKey || !now.shown) return;
  const moves = { ArrowDown: 1, ArrowUp: -1 };
  if (event.key in moves) {
    event.preventDefault();
    attempt(() => go(now.index + moves[event.key]));
  } else if (event.key.toLowerCase() === "r") {
    event.preventDefault();
    at("target").value = now.shown.text;
    checkKept();
    sessionStorage.removeItem(draftName(now.index));
  }
});
at("alternatives").addEventListener("keydown", (event) => {
  const items = [...at("alternatives").querySelectorAll("button")];
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step) {
    event.preventDefault();
    items.at((items.indexOf(document.activeElement) + step) % items.length).focus();
  }
  if (event.key === "Tab") closeAlternatives();
});
document.addEventListener("click", (event) => {
  if (!at("alternatives").contains(event.target)) closeAlternatives();
});
at("derivation").addEventListener("toggle", drawDerivation);
at("sessions").addEventListener("change", () =>
  attempt(async () => {
    await openSession(at("sessions").value);
    await openDocument(null);
  }),
);
at("documents").addEventListener("change", () => attempt(() => openDocument(Number(at("documents").value))));
at("term").addEventListener("submit", (event) => {
  event.preventDefault();
  attempt(async () => {
    await setTerm(at("term-source").value.trim(), at("term-target").value.trim(), false);
    at("term").reset();
  });
});
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
  at("source").lang = system.languages[0];
  at("target").lang = at("phrases").lang = system.languages[1];
  await openSession(kept.get("session"));
  await openDocument(kept.get("document") ? Number(kept.get("document")) : null);
}).finally(() => document.querySelector("main").removeAttribute("aria-busy"));

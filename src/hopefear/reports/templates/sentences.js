"use strict";

async function unpacked(id) {
  const packed = document.getElementById(id).textContent;
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

function showSentences(rows, features, names, lowerIsBetter) {
  const head = document.querySelector("#sentences thead");
  const body = document.querySelector("#sentences tbody");
  const count = document.getElementById("sentence-count");

  // The words of a text, each with the blanks before it; of a text as written also its signs.
  const segmenter = new Intl.Segmenter(undefined, { granularity: "word" });
  function divided(text, written) {
    const words = [];
    let gap = "";
    const parts = written ? [...segmenter.segment(text)].map((one) => one.segment) : text.split(/( )/);
    for (const segment of parts) {
      if (segment.trim()) words.push([gap, segment]);
      gap = segment.trim() ? "" : gap + segment;
    }
    return words;
  }

  // The words of both texts, each with the side that has it: the longest common subsequence has both.
  function difference(before, after, written) {
    const sides = [before, after].map((text) => divided(text, written));
    const [a, b] = sides.map((side) => side.map(([, word]) => word));
    const [gapsOfA, gapsOfB] = sides.map((side) => side.map(([gap]) => gap));
    if (a.length * b.length > 1e6) // a page may have thousands of such sentences
      return [...a.map((word, i) => ["del", word, gapsOfA[i]]), ...b.map((word, j) => ["ins", word, gapsOfB[j]])];
    const length = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
    for (let i = a.length - 1; i >= 0; i--)
      for (let j = b.length - 1; j >= 0; j--)
        length[i][j] = a[i] === b[j] ? length[i + 1][j + 1] + 1 : Math.max(length[i + 1][j], length[i][j + 1]);
    const words = [];
    let i = 0, j = 0;
    while (i < a.length || j < b.length) {
      if (i < a.length && j < b.length && a[i] === b[j]) { words.push(["both", b[j], gapsOfB[j]]); i++; j++; }
      else if (j === b.length || (i < a.length && length[i + 1][j] >= length[i][j + 1])) words.push(["del", a[i], gapsOfA[i++]]);
      else words.push(["ins", b[j], gapsOfB[j++]]);
    }
    return words;
  }

  rows.forEach((row, number) => {
    row.number = number;
    row.words = difference(row.before, row.after, row.written);
    row.changed = row.words.filter(([side]) => side !== "both").length;
    row.text = [row.source, ...row.references, row.before, row.after].join("\n").toLowerCase();
    row.length = row.source.split(/\s+/).length;
  });
  const sign = lowerIsBetter ? -1 : 1;
  const gain = (row) => sign * (row.after_score - row.before_score);
  const changes = {
    all: () => true,
    better: (row) => gain(row) > 0,
    worse: (row) => gain(row) < 0,
    other: (row) => row.changed && row.after_score === row.before_score,
    same: (row) => !row.changed,
  };

  const lower = features.map((name) => name.toLowerCase());
  const orders = {
    input: (a, b) => a.number - b.number,
    worst: (a, b) => sign * (a.after_score - b.after_score),
    improved: (a, b) => gain(b) - gain(a),
    harmed: (a, b) => gain(a) - gain(b),
    changed: (a, b) => b.changed - a.changed,
  };

  function add(parent, tag, text, kind) {
    const element = parent.appendChild(document.createElement(tag));
    if (text !== undefined) element.textContent = text;
    if (kind) element.className = kind;
    return element;
  }

  // A name, which may break between its parts only.
  function addName(parent, tag, text, kind) {
    const element = add(parent, tag, undefined, kind);
    text.split(/(?<=[_:+=,/|])|(?<=\p{Ll})(?=\p{Lu})/u).forEach((part, i) => {
      if (i) add(element, "wbr");
      element.append(part);
    });
    return element;
  }

  // Drawings that the page was made with, one at a time.
  function draw(parent, drawings) {
    const names = Object.keys(drawings), choice = add(parent, "div", undefined, "tools");
    const place = add(parent, "div", undefined, "wide");
    names.forEach((name, i) => {
      const label = add(choice, "label"), button = add(label, "input");
      Object.assign(button, { type: "radio", name: "drawing-" + drawn, checked: i === 0 });
      label.append(" " + name);
      button.onchange = () => { place.innerHTML = drawings[name]; };
    });
    drawn++;
    choice.hidden = names.length < 2;
    place.innerHTML = drawings[names[0]];
  }
  let drawn = 0;

  function table(parent, records) {
    const element = add(parent, "table"), columns = Object.keys(records[0]);
    const head = add(add(element, "thead"), "tr");
    columns.forEach((name) => add(head, "th", name, typeof records[0][name] === "number" ? "number" : ""));
    const lines = add(element, "tbody");
    for (const record of records) {
      const line = add(lines, "tr");
      columns.forEach((name) => {
        const cell = record[name];
        if (typeof cell === "number") add(line, "td", String(Number(cell.toPrecision(5))), "number");
        else addName(line, "td", cell);
      });
    }
  }

  function detail(row) {
    const line = document.createElement("tr"), cell = add(line, "td");
    line.className = "detail";
    cell.colSpan = 5;
    add(cell, "h3", "Derivation");
    if (Object.keys(row.drawings).length) draw(cell, row.drawings);
    else add(cell, "p", "The page had no room for this derivation: hopefear explain shows it.");
    if (row.hope !== undefined) {
      add(cell, "p", "Hope: " + row.hope);
      add(cell, "p", "Fear: " + row.fear);
      if (row.differences.length) {
        add(cell, "h3", "Features in which the translation differs from hope");
        table(cell, row.differences);
      }
    }
    return line;
  }

  function toggle(line, row) {
    const next = line.nextElementSibling;
    if (next && next.classList.contains("detail")) next.remove();
    else line.after(detail(row));
    line.setAttribute("aria-expanded", String(line.nextElementSibling?.classList.contains("detail") ?? false));
  }

  function update() {
    const wanted = document.getElementById("sentence-filter").value.toLowerCase();
    const order = orders[document.getElementById("sentence-order").value];
    const change = changes[document.getElementById("sentence-change").value];
    const [least, most] = document.getElementById("sentence-length").value.split(" ").map(Number);
    const feature = document.getElementById("sentence-feature").value.toLowerCase();
    const fires = (row) => !feature || row.fired.some((number) => lower[number].includes(feature));
    const fits = (row) => row.text.includes(wanted) && row.length >= least && row.length <= most && change(row) && fires(row);
    const shown = rows.filter(fits).sort((a, b) => order(a, b) || a.number - b.number);
    body.replaceChildren();
    clearTimeout(later);
    drawRows(shown);
    count.textContent = shown.length ? `${shown.length} of ${rows.length} sentences` : "No matching sentences.";
  }

  // The first rows at once; the others follow when the browser has drawn these.
  let later;
  function drawRows(shown) {
    const content = document.createDocumentFragment();
    for (const row of shown.slice(0, 100)) {
      const line = add(content, "tr", undefined, "row");
      add(line, "td", row.id);
      const sides = add(line, "td");
      add(sides, "div", row.source, "source");
      row.references.forEach((text) => add(sides, "div", text));
      const words = add(line, "td");
      let last = "";
      for (const [side, word, gap] of row.words) {
        words.append(gap || (last && last !== side ? " " : "")); // each text has its own first word
        last = side;
        add(words, side === "both" ? "span" : side, word);
      }
      add(line, "td", row.before_score.toFixed(1), "number");
      add(line, "td", row.after_score.toFixed(1), "number");
      if (row.drawings === undefined) continue; // there is no more to see
      line.tabIndex = 0;
      line.setAttribute("aria-expanded", "false");
      line.addEventListener("click", () => toggle(line, row));
      line.addEventListener("keydown", (event) => { if (event.key === "Enter") toggle(line, row); });
    }
    body.append(content);
    if (shown.length > 100) later = setTimeout(() => drawRows(shown.slice(100)));
  }

  const titles = document.createElement("tr");
  for (const title of ["sentence", "source and reference", names.join(" → "), ...names])
    add(titles, "th", title, names.includes(title) ? "number" : "");
  head.replaceChildren(titles);
  for (const name of ["order", "change", "length"]) document.getElementById("sentence-" + name).onchange = update;
  document.getElementById("sentence-feature").oninput = update;
  document.getElementById("sentence-feature").parentElement.hidden = !features.length;
  document.getElementById("sentence-features").replaceChildren(...[...features].sort().slice(0, 1000).map((name) => new Option(name)));
  document.getElementById("sentence-filter").oninput = update;
  update();
}

unpacked("run-data").then(({ runs, sets, metric, lowerIsBetter }) => {
  const part = (name) => document.getElementById("run-" + name);
  const dialog = document.getElementById("run");
  let against = []; // the runs of the baseline of the cell that is open

  function fill(select, names, value) {
    select.replaceChildren(...names.map((name) => new Option(name)));
    if (names.includes(value)) select.value = value;
  }

  function lines(table, records) {
    table.tBodies[0].replaceChildren();
    for (const record of records) {
      const line = table.tBodies[0].insertRow();
      for (const value of record) {
        const cell = line.insertCell();
        cell.textContent = value;
        if (value === record.at(-1)) cell.className = "number";
      }
    }
  }

  function showRun() {
    const name = part("name").value, run = runs[name];
    part("title").textContent = name;
    part("facts").replaceChildren(...Object.entries(run.facts).map(([what, value]) => {
      const line = document.createElement("div");
      line.textContent = `${what}: ${value}`;
      return line;
    }));
    lines(part("scores"), run.scores.map(([test, name, score]) => [test, name, score.toFixed(2)]));
    lines(part("weights"), run.weights.map(([name, value]) => [name, value.toPrecision(5)]));
    part("curve").hidden = !run.curve;
    part("no-curve").hidden = Boolean(run.curve);
    part("curve").innerHTML = run.curve ?? "";
    fill(part("test"), Object.keys(run.tests), part("test").value);
    showTest();
  }

  // A run's translations of the sentences of a set, and where it has them.
  function translated(name, set) {
    return Object.values(runs[name].tests).find(([number]) => number === set);
  }

  function showTest() {
    const name = part("name").value, found = runs[name].tests[part("test").value];
    const known = Array.isArray(found);
    part("problem").textContent = known ? "" : found;
    part("sentences").hidden = part("rival").disabled = !known;
    if (!known) return;
    const others = Object.keys(runs).filter((other) => other !== name && translated(other, found[0]));
    const usual = against.find((other) => others.includes(other) && runs[other].facts.seed === runs[name].facts.seed);
    const rival = others.includes(part("rival").value) ? part("rival").value : usual ?? against.find((other) => others.includes(other));
    fill(part("rival"), others.length ? others : [name], rival);
    showSentencesOf();
  }

  function showSentencesOf() {
    const name = part("name").value, rival = part("rival").value;
    const [number, places] = runs[name].tests[part("test").value], [, other] = translated(rival, number);
    const set = sets[number];
    const rows = set.rows.map(([id, source, references, texts, scores], i) => ({
      id, source, references, written: set.written, before: texts[other[i]], after: texts[places[i]],
      before_score: scores[other[i]], after_score: scores[places[i]],
    }));
    const some = rows.length < set.sentences ? `The first ${rows.length} of ${set.sentences} sentences. ` : "";
    part("shown").textContent = `${some}Sentence scores by ${metric}.`;
    showSentences(rows, [], ["other run", "this run"], lowerIsBetter);
  }

  function open(cell) {
    const names = cell.dataset.runs.split(" ");
    against = (cell.dataset.against ?? "").split(" ");
    part("comparison").textContent = cell.dataset.comparison ?? "";
    fill(part("name"), names);
    part("choice").hidden = names.length < 2;
    part("rival").replaceChildren();
    fill(part("test"), [cell.dataset.test ?? ""], cell.dataset.test);
    showRun();
    dialog.showModal();
    dialog.scrollTop = 0;
  }

  part("name").onchange = showRun;
  part("test").onchange = showTest;
  part("rival").onchange = showSentencesOf;
  part("close").onclick = () => dialog.close();
  for (const cell of document.querySelectorAll("td[data-runs]")) {
    cell.className += " opens";
    cell.tabIndex = 0;
    cell.setAttribute("aria-haspopup", "dialog");
    cell.onclick = () => open(cell);
    cell.onkeydown = (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault(); // else the key also presses the button that gets the focus
      open(cell);
    };
  }
});

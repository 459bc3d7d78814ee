unpacked("comparison-data").then(({ names, rows, metric, lowerIsBetter }) => {
  const [first, second] = ["first", "second"].map((side) => document.getElementById("compare-" + side));
  first.replaceChildren(...names.map((name, i) => new Option(name, i)));
  second.replaceChildren(...names.map((name, i) => new Option(name, i)));
  second.selectedIndex = names.length - 1;
  document.getElementById("compare-metric").textContent = metric;
  function show() {
    const [a, b] = [first.selectedIndex, second.selectedIndex];
    showSentences(rows.map(([id, source, references, written, texts, scores]) => ({
      id, source, references, written, before: texts[a], after: texts[b], before_score: scores[a], after_score: scores[b],
    })), [], [names[a], names[b]], lowerIsBetter);
  }
  first.onchange = second.onchange = show;
  show();
});

"use strict";
const field = document.getElementById("filter"), all = [...document.querySelectorAll("details.sentence")];
const count = document.getElementById("count");
function filter() {
  const wanted = field.value.toLowerCase();
  const shown = all.filter((one) => {
    one.hidden = !one.querySelector("summary").textContent.toLowerCase().includes(wanted);
    return !one.hidden;
  });
  count.textContent = shown.length ? `${shown.length} of ${all.length} sentences` : "No matching sentences.";
}
field.oninput = filter;
filter();
function openNamed() {
  const named = document.getElementById(location.hash.slice(1));
  if (named) { named.open = true; named.scrollIntoView(); }
}
addEventListener("hashchange", openNamed);
openNamed();
addEventListener("beforeprint", () => all.forEach((one) => { one.open = true; }));

"use strict";
const board = document.getElementById("board"), status_ = document.getElementById("status");

let shown = "";

async function ask() {
  try {
    const answer = await fetch("board"), text = await answer.text();
    if (answer.ok && text !== shown) board.innerHTML = shown = text; // what is open stays so while nothing changes
    status_.textContent = answer.ok ? "" : text;
  } catch {
    status_.textContent = "hopefear watch has ended. This is what it showed last.";
  }
  setTimeout(ask, 1500);
}
ask();

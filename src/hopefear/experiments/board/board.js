"use strict";
const board = document.getElementById("board"), status_ = document.getElementById("status");

async function ask() {
  try {
    const answer = await fetch("board"), text = await answer.text();
    if (answer.ok) board.innerHTML = text;
    status_.textContent = answer.ok ? "" : text;
  } catch {
    status_.textContent = "hopefear watch has ended: what you see is the last that it told.";
  }
  setTimeout(ask, 1500);
}
ask();

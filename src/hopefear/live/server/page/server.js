// Requests to the server.

import { at, shownDialog, tell } from "./elements.js";

const KEPT = 10_000; // characters of a body that a browser sends while the page is left

class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** Ask the server; bytes are sent as they are, anything else as JSON, also while the page is left. */
export async function ask(method, path, body) {
  const type = body instanceof Blob ? "application/octet-stream" : "application/json";
  const given = body === undefined || body instanceof Blob ? body : JSON.stringify(body);
  let answer;
  try {
    const keepalive = given?.length < KEPT;
    answer = await fetch(`/api/${path}`, { method, body: given, keepalive, headers: { "content-type": type } });
  } catch {
    throw new Refused(0, "The server does not answer. What was accepted is kept; try again when it runs.");
  }
  if (answer.status === 401 && path !== "login") {
    await logIn();
    return ask(method, path, body);
  }
  if (!answer.ok) {
    const found = await answer.json().catch(() => ({}));
    throw new Refused(answer.status, found.detail ?? `The server answers ${answer.status}.`);
  }
  return answer.status === 204 ? null : answer.json();
}

/** Do something; say on the page what goes wrong. */
export async function attempt(work) {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Refused)) console.error(error);
    tell(error.message, true);
    return undefined;
  }
}

/** Show a dialog, and do something when a button of it is pressed; what is refused is said in the dialog, which stays. */
export async function answered(dialog, button, work) {
  const problem = dialog.querySelector(".problem");
  problem.textContent = "";
  while ((await shownDialog(dialog)) === button) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      problem.textContent = error.message;
    }
  }
  return undefined;
}

async function logIn() {
  const enter = async () => {
    await ask("POST", "login", { token: at("token").value.trim() });
    at("token").value = "";
    return true;
  };
  while (!(await answered(at("login"), "enter", enter)));
}

// What a page cannot do by itself: keys, local times, countdowns. Without it every page still works.
"use strict";

const csrf = () => document.body.dataset.csrf || "";

// Forms that htmx sends carry the session's mark in a header too; of filters only those that say something.
document.addEventListener("htmx:configRequest", (event) => {
  if (event.detail.verb === "get") {
    for (const [name, value] of [...event.detail.formData]) if (value === "") event.detail.formData.delete(name);
  }
  if (csrf()) event.detail.headers["X-CSRF-Token"] = csrf();
});

// Times stand in UTC in the page; hovering shows them where the reader is.
function localTimes(root) {
  const shown = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: "medium", timeStyle: "short" });
  for (const time of root.querySelectorAll("time[datetime]")) {
    const at = new Date(time.dateTime);
    if (!Number.isNaN(at.getTime())) time.title = `${shown.format(at)} (${time.title})`;
  }
}

function countDown() {
  for (const place of document.querySelectorAll("[data-until]")) {
    const left = Math.max(0, Math.floor((Number(place.dataset.until) - Date.now()) / 1000));
    const part = (size) => String(Math.floor(left / size));
    const two = (number) => String(number).padStart(2, "0");
    place.textContent = `${part(86400)} d ${two(Math.floor(left / 3600) % 24)}:${two(Math.floor(left / 60) % 60)}:${two(left % 60)}`;
  }
}

// Rows of a list: j and k, Enter opens.
function step(by) {
  const links = [...document.querySelectorAll("[data-rows] .row-text")];
  if (!links.length) return false;
  const at = links.indexOf(document.activeElement);
  const next = links[Math.min(links.length - 1, Math.max(0, at + by))];
  next.focus();
  return true;
}

function typing(target) {
  return target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName);
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (typing(event.target)) {
    if (event.key === "Escape") {
      event.preventDefault(); // A search box would empty itself.
      event.target.blur();
    }
    return;
  }
  const marked = document.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
  if (marked) {
    event.preventDefault();
    if (typing(marked)) marked.focus();
    else marked.click();
  } else if ((event.key === "j" && step(1)) || (event.key === "k" && step(-1))) {
    event.preventDefault();
  }
});

// What went wrong before is no longer true once something else is asked.
document.addEventListener("htmx:beforeRequest", () => document.querySelector("#notices").replaceChildren());

// A slider says its number while it moves.
document.addEventListener("input", (event) => {
  const output = event.target.id && document.querySelector(`output[for="${CSS.escape(event.target.id)}"]`);
  if (output) output.textContent = `${event.target.value} ${output.dataset.unit}`;
});

// One box ticks all.
document.addEventListener("change", (event) => {
  if (!event.target.matches("[data-all]")) return;
  for (const box of event.target.form.querySelectorAll('input[name="id"]')) box.checked = event.target.checked;
});

// The opened step of a replay is in sight, and the page itself stays where it is.
for (const step of document.querySelectorAll(".steps [aria-current]")) {
  const list = step.closest(".steps");
  list.scrollTop = step.offsetTop - list.offsetTop - list.clientHeight / 2;
}

document.addEventListener("htmx:load", (event) => localTimes(event.detail.elt));
countDown();
setInterval(countDown, 1000);

// A form that needs a typed confirmation waits for it; the server asks again.
document.addEventListener("input", (event) => {
  const box = event.target.closest("[data-expected]");
  if (box) box.form.querySelector("button").disabled = box.value !== box.dataset.expected;
});
for (const box of document.querySelectorAll("[data-expected]")) box.form.querySelector("button").disabled = true;

// Export and import tell how far they are.
function told(text, share) {
  const place = document.querySelector("#transfer");
  const progress = document.querySelector("#progress");
  place.hidden = progress.hidden = false;
  place.textContent = text;
  if (share !== undefined) progress.value = share;
}

async function exportAll(link) {
  const words = document.querySelector("#transfer").dataset;
  const answer = await fetch(link.href);
  if (!answer.ok) throw new Error(String(answer.status));
  const pieces = [];
  let lines = 0;
  for (const reader = answer.body.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) break;
    pieces.push(value);
    for (const byte of value) if (byte === 10) lines += 1;
    told(`${lines} ${words.exported}`, lines / Math.max(1, Number(link.dataset.total)));
  }
  told(`${lines} ${words.exported}`, 1);
  const made = document.createElement("a");
  made.href = URL.createObjectURL(new Blob(pieces, { type: "application/x-ndjson" }));
  made.download = "memories.ndjson";
  made.click();
  setTimeout(() => URL.revokeObjectURL(made.href), 60000);
}

function parsed(line) {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

// The records of a file with their line numbers: a JSON document, or one record a line.
async function* recordsOf(file) {
  const text = await file.text();
  const start = text.trimStart()[0];
  const whole = start === "[" || !text.trim().includes("\n") ? parsed(text) : null;
  if (whole) {
    const list = Array.isArray(whole) ? whole : whole.results || whole.memories || whole.records || [whole];
    for (let at = 0; at < list.length; at += 1) yield [at + 1, list[at]];
    return;
  }
  const lines = text.split("\n");
  for (let at = 0; at < lines.length; at += 1) if (lines[at].trim()) yield [at + 1, parsed(lines[at])];
}

async function importFile(form) {
  const file = form.elements.file.files[0];
  if (!file) return;
  const words = document.querySelector("#transfer").dataset;
  const address = form.dataset.import + (form.elements.mem0.checked ? "?format=mem0" : "");
  const all = [];
  for await (const pair of recordsOf(file)) all.push(pair);
  let taken = 0;
  const refused = [];
  for (let at = 0; at < all.length; at += 200) {
    const answer = await fetch(address, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-CSRF-Token": csrf() },
      body: JSON.stringify(all.slice(at, at + 200)),
    });
    if (!answer.ok) throw new Error(String(answer.status));
    const reply = await answer.json();
    taken += reply.imported;
    refused.push(...reply.refused);
    told(`${taken} ${words.imported}`, Math.min(1, (at + 200) / all.length));
  }
  const missed = refused.slice(0, 20).map((one) => `${one.line} (${one.code})`).join(", ");
  told(`${taken} ${words.imported}${refused.length ? `; ${refused.length} ${words.refused}: ${missed}` : ""}`, 1);
}

function said(work) {
  work.catch((fault) => told(`${document.querySelector("#transfer").dataset.failed}: ${fault.message}`));
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("[data-export]");
  if (!link) return;
  event.preventDefault();
  said(exportAll(link));
});
document.addEventListener("submit", (event) => {
  if (!event.target.matches("[data-import]")) return;
  event.preventDefault();
  said(importFile(event.target));
});

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

document.addEventListener("htmx:load", (event) => localTimes(event.detail.elt));
countDown();
setInterval(countDown, 1000);

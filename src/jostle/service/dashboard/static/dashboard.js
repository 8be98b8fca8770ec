"use strict";
// The pages are complete without this script. It reads values where a pointer or the arrow keys
// are, and keeps a page up to date while somebody looks at it.

// Reading a chart: the numbers are those of its table.
function readable(figure) {
  const plot = figure.querySelector(".plot"), axes = figure.querySelector(".axes");
  const cursor = figure.querySelector(".cursor"), reading = figure.querySelector(".reading");
  const rows = [...figure.querySelectorAll("tbody tr")].map((row) => [...row.children].map((cell) => cell.textContent));
  const heads = [...figure.querySelectorAll("thead th")].map((cell) => cell.textContent);
  let chosen = null;

  function show(index) {
    chosen = index;
    cursor.classList.toggle("shown", index !== null);
    if (index === null) {
      reading.textContent = "";
      return;
    }
    const place = `${(100 * (index + 0.5)) / rows.length}%`;
    cursor.setAttribute("x1", place);
    cursor.setAttribute("x2", place);
    const [when, ...texts] = rows[index];
    reading.classList.toggle("left", index >= rows.length / 2);
    reading.textContent = [`from ${when}`, ...texts.map((text, at) => `${heads[at + 1]}: ${text}`)].join("\n");
  }

  plot.addEventListener("pointermove", (event) => {
    const box = axes.getBoundingClientRect();
    const index = Math.floor(((event.clientX - box.left) / box.width) * rows.length);
    show(Math.min(Math.max(index, 0), rows.length - 1));
  });
  plot.addEventListener("pointerleave", () => show(null));
  plot.addEventListener("blur", () => show(null));
  plot.addEventListener("keydown", (event) => {
    const last = rows.length - 1, now = chosen ?? rows.length;
    const next = { ArrowLeft: Math.max(now - 1, 0), ArrowRight: Math.min(now + 1, last), Home: 0, End: last, Escape: null }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    show(next);
  });
}

// Renewing a page: the same address again, of which the part that lives replaces the present one.
let asked = 0;

async function renew(address, moved) {
  const live = document.getElementById("live"), number = ++asked;
  if (moved) live.setAttribute("aria-busy", "true");
  const state = document.getElementById("state");
  if (moved) state.textContent = "Loading ...";
  try {
    const answer = await fetch(address, { headers: { Accept: "text/html" }, cache: "no-store" });
    if (answer.redirected) return void location.assign(address); // the session is over
    if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.getElementById("live");
    if (number !== asked || (!moved && busy())) return;
    if (!fresh) throw new Error("the answer is not a page of the dashboard");
    for (const details of live.querySelectorAll("details[open]")) {
      const same = fresh.querySelector(`#${CSS.escape(details.id)}`);
      if (same) same.open = true;
    }
    live.replaceWith(fresh);
    document.title = page.title;
    if (moved) history.replaceState(null, "", address);
    begin();
  } catch (error) {
    if (number !== asked) return;
    live.removeAttribute("aria-busy");
    const shown = document.getElementById("state");
    shown.className = "failed";
    shown.textContent = `Could not be renewed (${error.message}); what you see is older. Trying again ...`;
  }
}

// Whoever reads a chart or is in the middle of the page with the keyboard is not disturbed.
function busy() {
  const live = document.getElementById("live");
  return live.contains(document.activeElement) || live.querySelector(".cursor.shown") !== null;
}

function begin() {
  document.querySelectorAll("figure.chart").forEach(readable);
  document.querySelectorAll(".spans a").forEach((link) => link.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    link.blur();
    renew(link.href, true);
  }));
}

begin();
const every = Number(document.getElementById("live")?.dataset.refresh);
if (every) {
  setInterval(() => {
    if (!document.hidden && !busy()) renew(location.href, false);
  }, 1000 * every);
}

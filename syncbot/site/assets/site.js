"use strict";

// The theme: what the reader chose, else what the system says. Set before anything is drawn.
(() => {
  const root = document.documentElement;
  const chosen = () => {
    try { return localStorage.getItem("syncbot-theme"); } catch { return null; }
  };
  const show = (theme) => {
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
    else delete root.dataset.theme;
  };
  show(chosen());
  document.addEventListener("DOMContentLoaded", () => {
    const button = document.querySelector("button.theme");
    const label = () => {
      const text = button.dataset[root.dataset.theme ?? "auto"];
      button.querySelector("span").textContent = text;
      button.title = text;
    };
    label();
    button.hidden = false;
    button.addEventListener("click", () => {
      const dark = matchMedia("(prefers-color-scheme: dark)").matches;
      // First to the other one, then to the one that is like the system's, then back to the system.
      const order = dark ? [undefined, "light", "dark"] : [undefined, "dark", "light"];
      const next = order[(order.indexOf(root.dataset.theme) + 1) % order.length];
      show(next);
      try {
        if (next) localStorage.setItem("syncbot-theme", next);
        else localStorage.removeItem("syncbot-theme");
      } catch { /* Without storage the choice holds for this page. */ }
      label();
    });
  });
})();

// A link into a folded section opens it.
(() => {
  const unfold = () => {
    let place = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (const target = place; place; place = place.parentElement) {
      if (place instanceof HTMLDetailsElement) place.open = true;
      if (place === target) queueMicrotask(() => target.scrollIntoView());
    }
  };
  addEventListener("DOMContentLoaded", unfold);
  addEventListener("hashchange", unfold);
})();

// In a heat map, Tab goes from table to table, and the arrow keys from cell to cell.
addEventListener("DOMContentLoaded", () => {
  for (const hint of document.querySelectorAll(".scripted")) hint.hidden = false;
  for (const table of document.querySelectorAll(".heat table")) {
    const rows = [...table.tBodies[0].rows].map((row) => [...row.querySelectorAll("td")].map((cell) => cell.querySelector("a")));
    rows.flat().filter(Boolean).forEach((cell, at) => { cell.tabIndex = at ? -1 : 0; });
    table.addEventListener("keydown", (event) => {
      const y = rows.findIndex((row) => row.includes(event.target));
      const x = y < 0 ? y : rows[y].indexOf(event.target);
      const to = {
        ArrowLeft: [x - 1, y], ArrowRight: [x + 1, y], ArrowUp: [x, y - 1], ArrowDown: [x, y + 1],
        Home: [0, y], End: [rows[0].length - 1, y],
      }[event.key];
      const next = x < 0 || !to ? undefined : rows[to[1]]?.[to[0]];
      if (!next) return;
      event.preventDefault();
      event.target.tabIndex = -1;
      next.tabIndex = 0;
      next.focus();
    });
  }
});

// Searching: the parts of the index are scripts that call this, and are loaded when they are needed.
const syncbotEntries = [];
function syncbotIndex(entries) {
  for (const [kind, title, beside, url] of entries) {
    syncbotEntries.push({ kind, title, beside, url, plain: `${title} ${beside}`.normalize("NFKC").toLowerCase() });
  }
}

addEventListener("DOMContentLoaded", () => {
  const form = document.getElementById("search");
  if (!form) return;
  const query = document.getElementById("query");
  const found = document.getElementById("found");
  const results = document.getElementById("results");
  const LIMIT = 50;
  let loading = null;

  const load = () => loading ??= results.dataset.parts.split(" ").filter(Boolean).reduce(
    // One after the other, so that the order of the entries is that of the parts.
    (before, part) => before.then(() => new Promise((done) => {
      const script = document.createElement("script");
      script.src = part;
      script.onload = script.onerror = done;
      document.head.append(script);
    })), Promise.resolve());

  const say = (key, values = {}) => {
    found.textContent = found.dataset[key].replace(/\{(\w+)\}/g, (_, name) => values[name]);
  };

  const item = (entry) => {
    const row = document.createElement("li");
    const link = document.createElement("a");
    const kind = document.createElement("span");
    link.href = entry.url;
    link.textContent = entry.title;
    kind.className = `badge ${entry.kind}`;
    kind.textContent = results.dataset[entry.kind];
    const beside = document.createElement("small");
    beside.textContent = entry.beside;
    row.append(kind, " ", link, " ", beside);
    return row;
  };

  const search = async () => {
    const asked = query.value;
    const words = asked.normalize("NFKC").toLowerCase().split(/\s+/).filter(Boolean);
    if (!words.length) {
      results.replaceChildren();
      say("idle");
      return;
    }
    say("loading");
    await load();
    if (query.value !== asked) return;
    const hits = syncbotEntries.filter((entry) => words.every((word) => entry.plain.includes(word)));
    results.replaceChildren(...hits.slice(0, LIMIT).map(item));
    say(hits.length > LIMIT ? "more" : hits.length ? "found" : "nothing", { n: hits.length, shown: LIMIT });
  };

  let waiting;
  query.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(search, 120);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    clearTimeout(waiting);
    search();
  });
  document.getElementById("unscripted").hidden = true;
  form.hidden = false;
  query.value = new URLSearchParams(location.search).get("q") ?? "";
  search();
});

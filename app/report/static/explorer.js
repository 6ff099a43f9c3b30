"use strict";
// The questions of all runs: filtered, in a list of which only what is visible exists, one of them in full.
(function () {
  const source = document.getElementById("data");
  const list = document.getElementById("list");
  if (!source || !list) return;
  const data = JSON.parse(source.textContent);
  const { el } = QuestionView;
  const HEIGHT = 52;
  const space = list.querySelector(".space");
  const detail = document.getElementById("detail");
  const count = document.getElementById("count");
  const filters = {};
  for (const name of ["run", "task", "verdict", "facts", "explained", "words"]) filters[name] = document.getElementById("by-" + name);
  const state = { frames: "facts" };

  // Rows: [id, story, facts, line, text, answer, expected, support, expected support, scores…], texts by number.
  const every = [];
  data.runs.forEach((run, r) => run.parts.forEach((part, p) => part.rows.forEach((row, i) => {
    const expected = row[6] < 0 ? null : data.texts[row[6]];
    const answer = row[5] < 0 ? null : data.texts[row[5]];
    const facts = row[8] === null ? null
      : row[7].length === row[8].length && row[7].every(line => row[8].includes(line));
    every.push({ r, p, i, task: part.task, row, right: expected === null ? null : answer === expected, facts,
      explained: Object.hasOwn(part.explained, row[0]) });
  })));
  let shown = every;
  let current = -1;

  const text = number => number < 0 ? "none" : data.texts[number];

  function view(entry) {
    const run = data.runs[entry.r];
    const part = run.parts[entry.p];
    const [id, story, facts, line, asked, answer, expected, support, truly, score, margin, factScore, factMargin] = entry.row;
    const found = {
      id, line, question: asked < 0 ? id : data.texts[asked],
      answer: answer < 0 ? null : data.texts[answer], support,
      score, margin, support_score: factScore, support_margin: factMargin,
      chips: [...(data.runs.length > 1 ? [run.name] : []), "task " + part.task + (part.name ? " " + part.name : ""), id],
    };
    if (expected >= 0) found.expected = data.texts[expected];
    if (truly !== null) found.expected_support = truly;
    if (story >= 0) {
      const told = part.stories[story];
      found.story = [];
      for (let at = 0; at < 2 * facts; at += 2) found.story.push({ line: told[at], text: data.texts[told[at + 1]] });
    } else {
      found.missing = run.missing;
    }
    if (entry.explained) {
      const { readings, ...others } = part.explained[id];
      Object.assign(found, others);
      const read = readings.map(number => data.readings[number]);
      found.reading = read.pop();
      if (found.story) found.story = found.story.map((fact, place) => ({ ...read[place], ...fact }));
    } else {
      found.absent = run.unexplained || "This question is not among those that were explained; report --explain N explains more of each task.";
    }
    return found;
  }

  // -- the list ----------------------------------------------------------------------------------

  function draw() {
    const first = Math.max(0, Math.floor(list.scrollTop / HEIGHT) - 6);
    const last = Math.min(shown.length, Math.ceil((list.scrollTop + list.clientHeight) / HEIGHT) + 6);
    const items = [];
    for (let at = first; at < last; at += 1) {
      const entry = shown[at];
      const item = el("div", "item" + (entry.right === null ? " unknown" : entry.right ? "" : " wrong"));
      item.id = "item-" + at;
      item.setAttribute("role", "option");
      item.setAttribute("aria-selected", String(at === current));
      item.setAttribute("aria-posinset", at + 1);
      item.setAttribute("aria-setsize", shown.length);
      item.style.top = at * HEIGHT + "px";
      item.append(el("div", null, entry.row[4] < 0 ? entry.row[0] : text(entry.row[4])));
      const said = entry.right === false ? text(entry.row[5]) + " (expected " + text(entry.row[6]) + ")" : text(entry.row[5]);
      item.append(el("div", null, (entry.explained ? "◆ " : "") + "task " + entry.task
        + (data.runs.length > 1 ? " · " + data.runs[entry.r].name : "") + " · " + said
        + (entry.facts === false ? " · facts wrong" : "")));
      if (entry.right !== null) item.append(el("span", "visually-hidden", entry.right ? "right" : "wrong"));
      item.addEventListener("click", () => choose(at, true));
      items.push(item);
    }
    space.replaceChildren(...items);
    if (current >= first && current < last) list.setAttribute("aria-activedescendant", "item-" + current);
    else list.removeAttribute("aria-activedescendant");
  }

  function choose(at, clicked) {
    if (!shown.length) return;
    current = Math.max(0, Math.min(shown.length - 1, at));
    const top = current * HEIGHT;
    if (top < list.scrollTop) list.scrollTop = top;
    else if (top + HEIGHT > list.scrollTop + list.clientHeight) list.scrollTop = top + HEIGHT - list.clientHeight;
    draw();
    const box = QuestionView.render(view(shown[current]), detail, state);
    detail.scrollTop = 0;
    if (clicked && list.offsetTop + list.offsetHeight <= detail.offsetTop) box.scrollIntoView({ block: "start" });
    try { history.replaceState(null, "", "#" + encodeURIComponent(shown[current].row[0])); } catch (error) { /* a page without an address */ }
  }

  function filter() {
    const wanted = Object.fromEntries(Object.entries(filters).map(([name, field]) => [name, field ? field.value : ""]));
    const words = wanted.words.toLowerCase().split(/\s+/).filter(Boolean);
    const before = current >= 0 && shown[current];
    shown = every.filter(entry =>
      (wanted.run === "" || String(entry.r) === wanted.run)
      && (wanted.task === "" || String(entry.task) === wanted.task)
      && (wanted.verdict === "" || (wanted.verdict === "right" ? entry.right === true : entry.right === false))
      && (wanted.facts === "" || (wanted.facts === "right" ? entry.facts === true : entry.facts === false))
      && (wanted.explained === "" || entry.explained)
      && (!words.length || holds(entry, words)));
    space.style.height = shown.length * HEIGHT + "px";
    count.textContent = shown.length + " of " + every.length + (every.length === 1 ? " question" : " questions");
    const same = before ? shown.indexOf(before) : -1;
    list.scrollTop = 0;
    if (shown.length) choose(same >= 0 ? same : 0);
    else {
      current = -1;
      list.removeAttribute("aria-activedescendant");
      space.replaceChildren(el("div", "empty", "No question is like this."));
      detail.replaceChildren();
    }
  }

  function holds(entry, words) {
    if (entry.hay === undefined) {
      entry.hay = [entry.row[0], text(entry.row[4]), text(entry.row[5]), text(entry.row[6])].join(" ").toLowerCase();
    }
    return words.every(word => entry.hay.includes(word));
  }

  // -- keys ----------------------------------------------------------------------------------------

  const steps = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, PageDown: 10, PageUp: -10, Home: -Infinity, End: Infinity };

  function typing(target) { return target.closest("input, select, textarea") !== null; }

  document.addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape" && (typing(event.target) || detail.contains(event.target))) {
      list.focus();
      event.preventDefault();
    } else if (typing(event.target)) {
      if (event.key === "Enter" && event.target === filters.words) { list.focus(); event.preventDefault(); }
    } else if (event.key === "/") {
      filters.words.focus();
      filters.words.select();
      event.preventDefault();
    } else if (event.key === "j" || event.key === "k" || (event.target === list && event.key in steps)) {
      choose(current + steps[event.key] === Infinity ? shown.length - 1 : Math.max(0, current + steps[event.key]));
      event.preventDefault();
    } else if (event.target === list && event.key === "Enter") {
      const title = detail.querySelector("h3");
      if (title) title.focus();
      event.preventDefault();
    }
  });

  for (const field of Object.values(filters)) {
    if (field) field.addEventListener(field === filters.words ? "input" : "change", filter);
  }
  list.addEventListener("scroll", draw, { passive: true });
  window.addEventListener("resize", draw);
  for (const link of document.querySelectorAll("a[data-task]")) {
    link.addEventListener("click", () => {
      filters.task.value = link.dataset.task;
      filters.verdict.value = link.dataset.verdict || "";
      filter();
    });
  }
  const asked = decodeURIComponent(location.hash.slice(1));
  filter();
  const at = every.findIndex(entry => entry.row[0] === asked);
  if (at >= 0) choose(at);
  document.documentElement.dataset.ready = "yes";
})();

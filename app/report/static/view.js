"use strict";
// One explanation (cascade/explanation.py has its JSON form): answer, story with facts, entities and frames,
// and why. Text is only ever set as text.
const QuestionView = (function () {
  const HUES = [212, 28, 150, 285, 340, 55, 185, 255, 95, 8];
  const LONG = 14;   // a longer story is shown with its unimportant lines folded
  const AROUND = 1;  // lines around an important one that stay

  function el(tag, className, text) {
    const node = document.createElement(tag);
    if (className) node.className = className;
    if (text !== undefined && text !== null) node.textContent = text;
    return node;
  }

  function chip(text, kind) { return el("span", "chip" + (kind ? " " + kind : ""), text); }
  function figure(value) { return value === undefined || value === null ? "–" : value.toFixed(2); }
  function signed(value) { return (value < 0 ? "−" : "+") + Math.abs(value).toFixed(2); }

  // -- the answer ------------------------------------------------------------------------------

  // Whether no answer may be given. In a report one was given, whatever the verdict.
  function unknown(view) { return view.verdict === "unknown" && view.answer === null; }

  function right(view) {
    if (view.expected === undefined) return null;
    return view.answer === view.expected;
  }

  function head(view) {
    const box = el("div");
    const title = el("h3", null, view.question);
    title.tabIndex = -1;
    box.append(title);
    const chips = el("div", "chips");
    const answered = right(view);
    if (answered !== null) chips.append(chip(answered ? "right" : "wrong", answered ? "good" : "bad"));
    if (view.expected_support && view.support) {
      const same = view.support.length === view.expected_support.length
        && view.support.every(line => view.expected_support.includes(line));
      // Facts that were learned from answers may be others and prove the same.
      if (same || !view.facts_learned) chips.append(chip(same ? "facts right" : "facts wrong", same ? "good" : "bad"));
      else chips.append(chip("other facts", "warn"));
    }
    if (view.facts_learned) chips.append(chip("facts learned from answers"));
    if (view.verdict) chips.append(chip(view.verdict, { sure: "good", unsure: "warn", unknown: "warn" }[view.verdict]));
    for (const text of view.chips || []) chips.append(chip(text));
    box.append(chips);
    const said = el("div", "said");
    const pair = (name, value) => {
      const one = el("div");
      one.append(el("span", null, name), el("b", null, value));
      said.append(one);
    };
    pair("answer", unknown(view) ? "not known" : view.answer === null || view.answer === undefined ? "none" : view.answer);
    if (answered === false) pair("expected", view.expected);
    pair("margin", figure(view.margin));
    pair("margin of the facts", figure(view.support_margin));
    box.append(said);
    const doubts = view.reasons || [];
    if (unknown(view)) box.append(el("p", "note", "I do not know: " + doubts.join("; ")));
    else for (const text of doubts) box.append(el("p", "note", text));
    const whole = el("div", "head");
    whole.append(box);
    if (view.why) whole.append(runnerUp(view));
    return whole;
  }

  // -- the story -------------------------------------------------------------------------------

  // Mentions lie inside one another or apart; each becomes an element around its part of the text.
  function marked(text, mentions) {
    const box = el("span", "text");
    let next = 0;
    function fill(parent, from, to) {
      let at = from;
      while (next < mentions.length && mentions[next][0] < to) {
        const [start, end, entity] = mentions[next];
        next += 1;
        if (start < at || end > to) continue;
        parent.append(text.slice(at, start));
        const span = el("span", "entity");
        span.style.setProperty("--h", HUES[entity % HUES.length]);
        span.dataset.entity = entity;
        span.title = "entity " + (entity + 1);
        fill(span, start, end);
        parent.append(span);
        at = end;
      }
      parent.append(text.slice(at, to));
    }
    fill(box, 0, text.length);
    return box;
  }

  // An interlinear gloss: every word with the roles it has in each frame below it. It wraps like text.
  function gloss(reading) {
    const box = el("div", "gloss");
    reading.words.forEach((word, place) => {
      const column = el("span");
      column.append(el("span", "word", word));
      const roles = reading.frames.map(frame => role(frame, place + 1, reading.words));
      if (!/[\p{L}\p{N}]/u.test(word) && roles.every(cell => !cell.textContent)) return;
      column.append(...roles);
      box.append(column);
    });
    return box;
  }

  // How many letters wide the words from a token on are that have no role in a frame: room for a label.
  function room(frame, token, words) {
    const taken = new Set(frame.arguments.flatMap(argument => argument.span));
    if (frame.asks) taken.add(frame.asks.token);
    let width = words[token - 1].length;
    for (let next = token + 1; next <= words.length && !taken.has(next); next += 1) width += words[next - 1].length + 1;
    return width;
  }

  function role(frame, token, words) {  // tokens count from 1
    if (token === frame.token) {
      const cell = el("span", "role verb" + (frame.negated ? " no" : ""), (frame.negated ? "not " : "") + frame.predicate);
      if (room(frame, token, words) > cell.textContent.length) cell.classList.add("span");
      cell.title = "predicate" + (frame.time ? ", time: " + frame.time : "");
      return cell;
    }
    if (frame.asks && token === frame.asks.token) {
      const cell = el("span", "role asks in start", "? " + frame.asks.relation);
      cell.title = "asked for: " + frame.asks.role;
      return cell;
    }
    for (const argument of frame.arguments) {
      const at = argument.span.indexOf(token);
      if (at < 0) continue;
      const first = at === 0 || argument.span[at - 1] !== token - 1;
      const longer = argument.span[at + 1] === token + 1;
      const cell = el("span", "role in" + (first ? " start" : "") + (longer || !first ? " span" : ""),
        first && at === 0 ? argument.relation : "");
      cell.title = argument.relation + " (" + argument.role + ")";
      return cell;
    }
    return el("span", "role");
  }

  function sentence(view, place, show) {
    const asked = place === view.story.length;
    const line = asked ? view.line : view.story[place].line;
    const text = asked ? view.question : view.story[place].text;
    const reading = (asked ? view.reading : view.story[place]) || {};
    const item = el("li", asked ? "asked" : null);
    item.dataset.line = line;
    const badge = el("span", "badge");
    const chosen = asked ? -1 : (view.support || []).indexOf(line);
    const known = view.expected_support;
    const truly = !asked && known ? known.includes(line) : null;
    if (chosen >= 0) {
      item.classList.add("chosen");
      if (truly === false) item.classList.add("untrue");
      badge.textContent = chosen + 1;
      badge.title = "chosen as fact " + (chosen + 1) + (truly === false ? ", but no true fact" : "");
    } else if (truly) {
      item.classList.add("missed");
      badge.textContent = "!";
      badge.title = "a true fact that was not chosen";
    } else if (asked) {
      badge.textContent = "?";
    }
    if (badge.title) badge.append(el("span", "visually-hidden", " " + badge.title));
    const body = el("div");
    body.append(marked(text, reading.mentions || []));
    if (reading.read_as) body.append(el("div", "read-as", "read as: " + reading.read_as));
    const important = asked || chosen >= 0 || truly;
    if (reading.frames && (show === "all" || (show === "facts" && important))) body.append(gloss(reading));
    item.append(badge, el("span", "number", line), body);
    return item;
  }

  function story(view, state) {
    const list = el("ol", "story");
    const count = view.story.length + 1;
    const important = new Set([count - 1]);
    view.story.forEach((fact, place) => {
      if ((view.support || []).includes(fact.line) || (view.expected_support || []).includes(fact.line)) important.add(place);
    });
    const stays = place => [...important].some(other => Math.abs(other - place) <= AROUND);
    let place = 0;
    while (place < count) {
      let end = place;
      while (end < count && !stays(end)) end += 1;
      if (count > LONG && !state.unfolded && end - place > 2) {
        list.append(fold(list, view, state, place, end));
        place = end;
      } else {
        list.append(sentence(view, place, state.frames));
        place += 1;
      }
    }
    return list;
  }

  function fold(list, view, state, from, to) {
    const item = el("li", "gap");
    const button = el("button", null, "… " + (to - from) + (to - from === 1 ? " more sentence" : " more sentences"));
    button.type = "button";
    button.addEventListener("click", () => {
      const opened = [];
      for (let place = from; place < to; place += 1) opened.push(sentence(view, place, state.frames));
      item.replaceWith(...opened);
      opened[0].tabIndex = -1;
      opened[0].focus();
    });
    item.append(button);
    return item;
  }

  function storyBox(view, state) {
    const box = el("div");
    const tools = el("div", "tools");
    tools.append(el("h4", null, "Story"));
    let list = story(view, state);
    if ([...view.story, view.reading || {}].some(reading => reading.frames)) {
      const group = el("div", "tools");
      group.setAttribute("role", "group");
      group.setAttribute("aria-label", "frames");
      group.style.margin = "0";
      group.append(el("span", "small soft", "frames"));
      for (const [name, label] of [["none", "hidden"], ["facts", "of the facts"], ["all", "all"]]) {
        const button = el("button", null, label);
        button.type = "button";
        button.setAttribute("aria-pressed", String(state.frames === name));
        button.addEventListener("click", () => {
          state.frames = name;
          for (const other of group.querySelectorAll("button")) other.setAttribute("aria-pressed", String(other === button));
          const fresh = story(view, state);
          list.replaceWith(fresh);
          list = fresh;
        });
        group.append(button);
      }
      tools.append(group);
    }
    box.append(tools, list);
    box.addEventListener("mouseover", event => light(box, event.target.closest(".entity")));
    box.addEventListener("mouseleave", () => light(box, null));
    return box;
  }

  function light(box, entity) {
    for (const node of box.querySelectorAll(".entity")) {
      node.classList.toggle("lit", entity !== null && node.dataset.entity === entity.dataset.entity);
    }
  }

  // -- the state of the world --------------------------------------------------------------------

  // A row for every entity; a bar for what it was with or at, from the line that set it to the one that changed it.
  function timeline(view) {
    const details = el("details", "state");
    details.open = Boolean(view.state.says);
    details.append(el("summary", null, "State" + (view.state.says ? ": " + view.state.says : "")));
    const first = view.story[0].line;
    const span = Math.max(1, view.line - first);
    const rows = new Map();
    for (const stay of view.state.stays) {
      if (!rows.has(stay.entity)) {
        const row = el("div", "stays");
        row.append(el("span", "name", stay.entity), el("span", "track"));
        rows.set(stay.entity, row);
        details.append(row);
      }
      const bar = el("span", "stay" + (stay.decisive ? " decisive" : ""), stay.anchor);
      const until = stay.until === null ? view.line : stay.until;
      bar.style.left = 100 * (stay.line - first) / span + "%";
      bar.style.width = 100 * Math.max(0.2, until - stay.line) / span + "%";
      bar.title = stay.line + ": " + stay.entity + " is with or at " + stay.anchor + " (learned: " + stay.why + ")";
      rows.get(stay.entity).lastChild.append(bar);
    }
    return details;
  }

  // -- why ---------------------------------------------------------------------------------------

  function weight(name, value, largest) {
    const row = el("div", "weight");
    const track = el("span", "track" + (value < 0 ? " minus" : ""));
    const bar = el("i");
    bar.style.setProperty("--v", Math.min(50, 50 * Math.abs(value) / largest));
    bar.style.setProperty("--from", value < 0 ? 50 - Math.min(50, 50 * Math.abs(value) / largest) : 50);
    const zero = el("span", "rule zero");
    zero.style.setProperty("--v", 50);
    track.append(bar, zero);
    row.append(el("span", "name", name), track, el("span", "value", signed(value)));
    return row;
  }

  function reasons(title, groups, total) {
    const box = el("div");
    box.append(el("h4", null, title + (total === undefined || total === null ? "" : ": " + signed(total))));
    if (!groups.length) {
      box.append(el("p", "soft small", "No feature with a weight fired."));
      return box;
    }
    const largest = Math.max(1e-9, ...groups.flatMap(group => [
      Math.abs(group.weight), ...group.features.map(feature => Math.abs(feature.weight))]));
    groups.forEach((group, place) => {
      const details = el("details", "group");
      details.open = place === 0;
      const summary = el("summary");
      summary.append(weight(group.group, group.weight, largest));
      details.append(summary);
      for (const feature of group.features) details.append(weight(feature.words, feature.weight, largest));
      const others = group.others;
      if (others) details.append(weight(others.count + (others.count === 1 ? " other feature" : " other features"), others.weight, largest));
      box.append(details);
    });
    return box;
  }

  function runnerUp(view) {
    const box = el("div", "beside");
    box.append(el("h4", null, "Runner-up"));
    const best = view.best === undefined ? view.answer : view.best;
    const lines = facts => facts.length ? (facts.length === 1 ? "fact " : "facts ") + facts.join(", ") : "no fact";
    const answers = (view.candidates || []).filter(each => each.part || each.answer !== best)
      .map(each => [each.part ? each.answer + " (" + each.part + ")" : each.answer, each.score]);
    const second = view.runner_up ? [[lines(view.runner_up.support), view.runner_up.score]] : [];
    for (const [chosen, score, others, none] of [
      [best, view.score, answers, "There was no other answer."],
      [lines(view.support || []), view.support_score, second, "There was no other choice of facts."],
    ]) {
      if (!others.length) {
        box.append(el("p", "small soft", none));
        continue;
      }
      const scale = Math.max(1e-9, Math.abs(score || 0), ...others.map(other => Math.abs(other[1])));
      const first = score === null || score === undefined ? el("p", "small", chosen) : weight(chosen, score, scale);
      first.classList.add("chosen-one");
      box.append(first, ...others.map(([name, value]) => weight(name, value, scale)));
    }
    return box;
  }

  // -- all of it -----------------------------------------------------------------------------------

  function render(view, target, state) {
    const box = el("article", "question card");
    box.append(head(view));
    if (!view.story) {
      box.append(el("p", "note plain", view.missing || "The story of this question is not part of this report."));
    } else {
      box.append(storyBox(view, state || { frames: "facts" }));
    }
    if (view.story && view.state && view.state.stays.length) box.append(timeline(view));
    if (view.why) {
      const grid = el("div", "reasons");
      grid.append(
        reasons("Why these facts", view.why.support, view.support_score),
        reasons("Why this answer", view.why.answer, view.score));
      box.append(grid);
    } else if (view.absent) {
      box.append(el("p", "note plain", view.absent));
    }
    target.replaceChildren(box);
    return box;
  }

  return { render, el, figure };
})();

"use strict";
// All text of models and data sets is set as text, never as markup; the policy on the page refuses everything else.
(() => {
  const index = JSON.parse(document.getElementById("index").textContent);
  const N = index.id.length, RUNS = index.runs.length, ROW = 46, LONG = 20000;
  const SIGN = { "": " ", consistent: "✓", inconsistent: "✗", "no-answer": "∅", unjudged: "?", "not-run": "–", scored: "S" };
  const SAID = { "": "not in this run", consistent: "right", inconsistent: "wrong", "no-answer": "no answer", unjudged: "not judged", "not-run": "not run", scored: "steps scored" };
  const OPEN = new Set(["", "unjudged", "not-run", "scored"]);
  const byId = (id) => document.getElementById(id);

  function el(tag, props, ...children) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(props || {})) {
      if (value === null || value === undefined || value === false) continue;
      if (name === "class") node.className = value;
      else if (name === "click") node.addEventListener("click", value);
      else node.setAttribute(name, value === true ? "" : value);
    }
    for (const child of children) if (child !== null && child !== undefined) node.append(child);
    return node;
  }

  // --- data files: each is a script that hands its data over, since a page on a disk may read no other file
  const policy = window.trustedTypes
    ? window.trustedTypes.createPolicy("shards", {
        createScriptURL: (name) => { if (!/^data\/\d{4,6}\.js$/.test(name)) throw new TypeError(name); return name; },
      })
    : { createScriptURL: (name) => name };
  const shards = new Map(), waiting = new Map();
  window.benchwrightShard = (key, number, data) => {
    if (key !== index.key) return;
    shards.set(number, data);
    if (shards.size > 60) shards.delete(shards.keys().next().value);
  };
  function shardOf(at) {
    let low = 0, high = index.shards.length - 1;
    while (low < high) { const middle = (low + high + 1) >> 1; if (index.shards[middle] <= at) low = middle; else high = middle - 1; }
    return low;
  }
  function load(number) {
    if (shards.has(number)) return Promise.resolve(shards.get(number));
    if (!waiting.has(number)) {
      waiting.set(number, new Promise((resolve, reject) => {
        const script = document.createElement("script");
        const done = () => { waiting.delete(number); script.remove(); };
        script.addEventListener("load", () => { done(); if (shards.has(number)) resolve(shards.get(number)); else reject(new Error("it is of another report")); });
        script.addEventListener("error", () => { done(); reject(new Error("the file is missing")); });
        script.src = policy.createScriptURL(`data/${String(number).padStart(4, "0")}.js`);
        document.head.append(script);
      }));
    }
    return waiting.get(number);
  }
  async function itemAt(at) {
    const number = shardOf(at), data = await load(number);
    return { ...data.items[at - index.shards[number]], formulas: data.formulas };
  }

  // --- filters
  const outcome = (run, at) => index.outcomes[Number(index.outcome[run][at])];
  const letter = (run) => (RUNS > 1 ? (run < 26 ? String.fromCharCode(65 + run) : `R${run + 1}`) : "");
  const named = (run) => `${letter(run)} ${index.runs[run].label}`.trim();
  const facet = (name, at) => index.words[name][index.facets[name][at]];
  const state = { seen: [], at: -1, view: "item", source: false };
  const controls = {};
  function choice(name, label, options, wide) {
    const select = el("select", { id: `f-${name}` }, ...options.map(([value, text]) => el("option", { value }, text)));
    select.addEventListener("change", () => refresh());
    controls[name] = select;
    byId("filters").append(el("label", { class: wide ? "wide" : null }, label, select));
    return select;
  }
  function build() {
    for (const name of index.order) {
      const values = index.words[name];
      if (values.length > 1) choice(name, name, [["", "all"], ...values.map((word, at) => [String(at), word])]);
    }
    const runs = index.runs.map((run, at) => [String(at), named(at)]);
    choice("run", "run", RUNS > 1 ? [["", "any of them"], ...runs] : runs);
    choice("outcome", "its outcome", [["", "all"], ...index.outcomes.slice(1).map((name) => [name, SAID[name]])]);
    choice("mark", "mark", [["", "all"], ...index.marks.map((name, at) => [String(at), name])]);
    if (RUNS > 1) {
      choice("one", "compare", [["", "all runs"], ...runs]);
      choice("two", "with", runs).value = String(Math.min(1, RUNS - 1));
      const differ = el("input", { type: "checkbox", id: "f-differ" });
      differ.addEventListener("change", () => { if (differ.checked && !controls.one.value) controls.one.value = "0"; refresh(); });
      controls.differ = differ;
      byId("filters").append(el("label", { class: "wide row" }, differ, "only items on which these two differ"));
    }
    byId("words").addEventListener("input", () => refresh());
    byId("filters").addEventListener("submit", (event) => event.preventDefault());
    const lost = index.without_picture ? ` · ${index.without_picture.toLocaleString("en")} pictures are not in this folder` : "";
    byId("about").textContent = `${N.toLocaleString("en")} items, ${RUNS} run${RUNS > 1 ? "s" : ""}${lost}`;
  }
  const pair = () => (RUNS > 1 && controls.one.value !== "" ? [Number(controls.one.value), Number(controls.two.value)] : null);
  const alike = (two) => index.runs[two[0]].steps === index.runs[two[1]].steps;
  const worth = (run, at) => (index.knowledge[run] ? `${index.outcome[run][at]} ${index.knowledge[run][at]} ${index.logic[run][at]}` : index.outcome[run][at]);
  const shownRuns = () => { const two = pair(); return two ? [...new Set(two)] : index.runs.map((_, at) => at); };
  function fits(at, words, wanted) {
    for (const [name, value] of wanted) if (index.facets[name][at] !== value) return false;
    const run = controls.run.value, runs = run === "" ? index.runs.map((_, one) => one) : [Number(run)];
    if (controls.outcome.value && !runs.some((one) => outcome(one, at) === controls.outcome.value)) return false;
    if (controls.mark.value !== "" && !runs.some((one) => index.mark[one][at] >> Number(controls.mark.value) & 1)) return false;
    if (run !== "" && outcome(Number(run), at) === "") return false;
    const two = pair();
    if (two && two.some((one) => outcome(one, at) === "")) return false;
    if (two && controls.differ.checked && alike(two) && worth(two[0], at) === worth(two[1], at)) return false;
    if (words.length) {
      const text = `${index.id[at]} ${index.text[at]}`.toLowerCase();
      if (!words.every((word) => text.includes(word))) return false;
    }
    return true;
  }
  function refresh(keep) {
    const here = state.at, two = pair();
    if (controls.differ) controls.differ.disabled = Boolean(two && !alike(two));
    const words = byId("words").value.toLowerCase().split(/\s+/).filter(Boolean);
    const wanted = index.order.filter((name) => controls[name] && controls[name].value !== "").map((name) => [name, Number(controls[name].value)]);
    state.seen = [];
    for (let at = 0; at < N; at++) if (fits(at, words, wanted)) state.seen.push(at);
    tally();
    byId("space").style.height = `${state.seen.length * ROW}px`;
    const stays = state.seen.includes(here);
    if (!stays && !keep) show(state.seen.length ? state.seen[0] : -1);
    else { draw(); show(here); }
  }
  function mean(values) {
    const known = values.filter((value) => value !== null);
    return known.length ? `${(known.reduce((sum, value) => sum + value, 0) / known.length / 100).toFixed(1)} %` : "–";
  }
  function tally() {
    const body = el("table", {}, el("tr", {}, el("th", { scope: "col" }, `${state.seen.length.toLocaleString("en")} of ${N.toLocaleString("en")} items`), el("th", { scope: "col", class: "n soft" }, "right of judged")));
    for (const run of shownRuns()) {
      let right = 0, judged = 0, open = 0;
      for (const at of state.seen) {
        const said = outcome(run, at);
        right += said === "consistent"; judged += !OPEN.has(said); open += said === "unjudged" || said === "not-run";
      }
      const means = index.knowledge[run] ? [index.knowledge[run], index.logic[run]].map((all) => mean(state.seen.map((at) => all[at]))) : null;
      const share = judged ? ` = ${(100 * right / judged).toFixed(1)} %${open ? " *" : ""}` : "";
      body.append(el("tr", {}, el("td", { class: "name" }, named(run)), el("td", { class: "n" }, means ? `K ${means[0]} L ${means[1]}${open ? " *" : ""}` : judged ? `${right} of ${judged}${share}` : "–")));
    }
    byId("tally").replaceChildren(body);
  }

  // --- the list: only the entries that can be seen exist
  const list = byId("list"), space = byId("space");
  function draw() {
    const first = Math.max(0, Math.floor(list.scrollTop / ROW) - 4);
    const last = Math.min(state.seen.length, first + Math.ceil(list.clientHeight / ROW) + 9);
    const entries = [];
    for (let place = first; place < last; place++) entries.push(entry(place));
    space.replaceChildren(...entries);
    list.setAttribute("aria-activedescendant", state.at >= 0 ? `item-${state.at}` : "");
  }
  function chip(said, label) {
    return el("span", { class: `chip ${said || "missing"}`, title: `${label}: ${SAID[said]}` }, SIGN[said]);
  }
  function entry(place) {
    const at = state.seen[place];
    const chips = el("span", { class: "chips" }, ...shownRuns().map((run) => chip(outcome(run, at), named(run))));
    const node = el("div", { class: "entry", role: "option", id: `item-${at}`, "aria-selected": at === state.at ? "true" : "false", click: () => show(at) },
      el("div", { class: "line" }, el("span", {}, index.id[at]), chips),
      el("div", { class: "preview" }, index.text[at]));
    node.style.top = `${place * ROW}px`;
    return node;
  }
  list.addEventListener("scroll", draw);
  window.addEventListener("resize", draw);
  function reveal(place) {
    const top = place * ROW;
    if (top < list.scrollTop) list.scrollTop = top;
    else if (top + ROW > list.scrollTop + list.clientHeight) list.scrollTop = top + ROW - list.clientHeight;
  }

  // --- one item
  const main = byId("main");
  let turn = 0;
  async function show(at) {
    const changed = at !== state.at;
    state.at = at;
    if (at >= 0) reveal(Math.max(0, state.seen.indexOf(at)));
    draw();
    const mine = ++turn;
    if (at < 0) { main.replaceChildren(el("p", { class: "none" }, "No item fits these filters.")); return; }
    try {
      const parts = state.view === "versions" ? await versionsView(at) : await itemView(at);
      if (mine !== turn) return;
      main.replaceChildren(...parts);
      if (changed) { main.scrollTop = 0; history.replaceState(null, "", `#${encodeURIComponent(index.id[at])}`); }
    } catch (error) {
      if (mine === turn) main.replaceChildren(el("p", { class: "none" }, `The data of this item cannot be read: ${error.message}.`));
    }
  }
  function bar(at) {
    const place = state.seen.indexOf(at);
    const push = (text, pressed, click) => el("button", { type: "button", "aria-pressed": pressed, click }, text);
    return el("div", { class: "bar" },
      el("button", { type: "button", click: () => step(-1), disabled: place <= 0 }, "previous"),
      el("button", { type: "button", click: () => step(1), disabled: place >= state.seen.length - 1 }, "next"),
      el("h2", { id: "title" }, index.id[at]),
      el("span", { class: "soft small" }, index.order.map((name) => facet(name, at)).join(" · ")),
      push("all versions of the problem", state.view === "versions" ? "true" : "false", () => turnView()),
      push("formulas as source", state.source ? "true" : "false", () => { state.source = !state.source; show(state.at); }));
  }
  function long(text, className) {
    const node = el("div", { class: className });
    if (text.length <= LONG) { node.textContent = text; return node; }
    node.textContent = text.slice(0, LONG);
    const more = el("button", { type: "button", class: "more", click: () => { node.textContent = text; more.remove(); } }, `show all ${text.length.toLocaleString("en")} characters`);
    return el("div", {}, node, more);
  }
  function formula(one) {
    const img = el("img", { class: "math", alt: one.tex, title: one.tex, src: `data:image/svg+xml,${encodeURIComponent(one.svg)}` });
    img.style.height = `${one.h + 0.04}em`;
    img.style.width = `${one.w + 0.04}em`;
    img.style.verticalAlign = `${-one.d - 0.02}em`;
    return one.display ? el("span", { class: "display" }, img) : img;
  }
  function written(pieces, item, language) {
    const node = el("div", { class: "text", lang: language || null });
    for (const piece of pieces) {
      if (typeof piece === "string") node.append(piece);
      else if (piece.t) node.append(el("table", { class: "cells", "data-source": "" }, ...piece.t.map((row) => el("tr", {}, ...row.map((cell) => el("td", {}, written(cell, item)))))));
      else {
        const one = item.formulas[piece.f];
        node.append(state.source ? (one.display ? `\n$$${one.tex}$$\n` : `$${one.tex}$`) : formula(one));
      }
    }
    return node;
  }
  function pictures(item) {
    if (!item.images.length) return null;
    return el("div", { class: "pictures" }, ...item.images.map(([name, file], at) =>
      file ? el("figure", {}, el("img", { src: `pictures/${file}`, alt: `picture ${at + 1} of the question`, loading: "lazy" }), el("figcaption", {}, name))
           : el("p", { class: "soft small" }, `picture ${name} is not in this folder: name the data set with --dataset`)));
  }
  function question(at, item) {
    const language = facet("language", at), parts = [];
    const whole = () => (state.source ? long(item.source, "text raw") : written(item.full, item, language));
    if (item.sent === item.source) parts.push(el("h3", {}, "question, sent as it stands"), whole());
    else {
      parts.push(el("h3", {}, "question as sent"), item.sent ? long(item.sent, "text raw") : el("p", { class: "soft text" }, "(no text: everything stands in the picture)"));
      parts.push(el("h3", {}, "whole question, for judge and reader"), whole());
    }
    parts.push(el("h3", {}, "reference answer"), written([...item.answer, item.unit ? ` ${item.unit}` : ""], item, language));
    if (item.solution) parts.push(el("details", {}, el("summary", {}, "solution"), written(item.solution, item, language)));
    parts.push(el("p", { class: "soft small" }, `${item.of}; split ${item.split}`));
    return el("div", { class: "question" }, el("div", {}, ...parts), pictures(item));
  }
  const percent = (share) => (share === null ? "–" : `${(100 * share).toFixed(1)} %`);
  function steps(found) {
    const parts = [];
    if (found.list.length) {
      const rows = found.list.map(([kind, score, text]) => el("tr", {}, el("td", { class: "k" }, kind === "K" ? "K knowledge" : "L logic"), el("td", { class: `k ${score ? "consistent" : "inconsistent"}` }, score ? "1 ✓" : "0 ✗"), el("td", {}, text)));
      parts.push(el("h3", {}, "key steps"), el("table", { class: "steps" }, el("tr", {}, ...["kind", "score", "step"].map((name) => el("th", { scope: "col" }, name))), ...rows));
    }
    const words = [`${found.outcome} (${found.reason})`];
    if (found.scores) words.push(`knowledge ${percent(found.scores[0])}, logic ${percent(found.scores[1])}, this response ${percent(found.scores[2])}`);
    if (found.coverage !== null) words.push(`the steps hold ${percent(found.coverage)} of its words`);
    parts.push(el("p", { class: "small" }, words.join("; "), found.detail ? el("span", { class: "soft" }, ` ${found.detail}`) : null));
    if (found.words.length) parts.push(el("details", {}, el("summary", {}, "words of who scored the steps"), ...found.words.map((text) => long(text, "text raw"))));
    return parts;
  }
  function verdict(found) {
    const parts = [el("p", { class: "small" }, `decided by ${found.by} (${found.reason})`, found.rules ? `; the rules say ${SAID[found.rules]}` : "", found.call && found.call !== "ok" ? `; the judge's call: ${found.call}` : "")];
    if (found.words) parts.push(el("details", { open: true }, el("summary", {}, "judge's words"), long(found.words, "text raw")));
    return parts;
  }
  function card(at, run, item) {
    const about = index.runs[run], said = outcome(run, at), found = item.runs[run];
    const marks = index.marks.filter((_, bit) => index.mark[run][at] >> bit & 1).map((name) => el("span", { class: "mark" }, name));
    const node = el("section", { class: "card", "aria-label": about.label },
      el("header", {}, chip(said, named(run)), el("h2", {}, named(run)), el("span", { class: `state ${said || "missing"}` }, SAID[said]), ...marks),
      el("p", { class: "soft small" }, `${about.how}; judge: ${about.judge}`));
    if (!found) { node.append(el("p", { class: "soft" }, "This run does not hold the item, or holds another state of it.")); return node; }
    if (found.status === null) node.append(el("p", { class: "soft" }, "It was not asked."));
    else {
      const tokens = found.tokens && found.tokens[1] !== null ? `, ${found.tokens[1].toLocaleString("en")} tokens` : "";
      node.append(el("h3", {}, `response (call ${found.status}${tokens})`));
      if (found.detail) node.append(el("p", { class: "small" }, found.detail));
      node.append(found.text ? long(found.text, "text raw") : el("p", { class: "soft text" }, "(empty)"));
      if (found.thinking) node.append(el("details", {}, el("summary", {}, `thinking, ${found.thinking.length.toLocaleString("en")} characters`), long(found.thinking, "text raw")));
    }
    if (found.steps) node.append(...steps(found.steps));
    if (found.verdict) node.append(...verdict(found.verdict));
    return node;
  }
  async function itemView(at) {
    const item = await itemAt(at);
    return [bar(at), question(at, item), el("div", { class: "cards" }, ...shownRuns().map((run) => card(at, run, item)))];
  }
  async function versionsView(at) {
    const same = [], other = new Map();
    for (let one = Math.max(0, at - 400); one < Math.min(N, at + 400); one++) {
      if (index.problem[one] !== index.problem[at]) continue;
      if (facet("language", one) === facet("language", at)) same.push(one);
      else if (!other.has(facet("language", one))) other.set(facet("language", one), one);
    }
    const items = await Promise.all(same.map(itemAt));
    const cards = same.map((one, place) => {
      const item = items[place];
      const head = el("header", {}, el("h2", {}, facet("version", one)), ...shownRuns().map((run) => chip(outcome(run, one), named(run))),
        el("button", { type: "button", class: "push", click: () => { state.view = "item"; show(one); } }, "open"));
      const answers = shownRuns().map((run) => {
        const found = item.runs[run];
        return el("details", {}, el("summary", {}, `${SIGN[outcome(run, one)]} ${named(run)}: ${SAID[outcome(run, one)]}`), found && found.text ? long(found.text, "text raw") : el("p", { class: "soft" }, "(empty)"));
      });
      return el("section", { class: `card${one === at ? " current" : ""}`, "aria-label": facet("version", one) }, head, pictures(item),
        item.sent ? long(item.sent, "text raw") : el("p", { class: "soft" }, "(no text: everything stands in the picture)"), ...answers);
    });
    const languages = [...other].map(([name, one]) => el("button", { type: "button", lang: name, click: () => show(one) }, name));
    return [bar(at), el("div", { class: "bar soft small" }, `problem ${index.problem[at]}, ${same.length} version${same.length > 1 ? "s" : ""}`, ...languages), el("div", { class: "cards" }, ...cards)];
  }
  function turnView() { state.view = state.view === "versions" ? "item" : "versions"; show(state.at); }
  function step(by) {
    if (!state.seen.length) return;
    const place = state.seen.indexOf(state.at);
    show(state.seen[place < 0 ? 0 : Math.min(state.seen.length - 1, Math.max(0, place + by))]);
  }
  function stepProblem(by) {
    let place = state.seen.indexOf(state.at);
    const problem = place < 0 ? null : index.problem[state.at];
    while (place >= 0 && place < state.seen.length && index.problem[state.seen[place]] === problem) place += by;
    if (place >= 0 && place < state.seen.length) show(state.seen[place]);
  }

  // --- keys, light and dark
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = event.target.matches("input[type=search], select, textarea");
    if (typing) { if (event.key === "Escape") event.target.blur(); return; }
    const inList = event.target === list;
    if (event.key === "j" || (inList && event.key === "ArrowDown")) step(1);
    else if (event.key === "k" || (inList && event.key === "ArrowUp")) step(-1);
    else if (event.key === "n") stepProblem(1);
    else if (event.key === "p") stepProblem(-1);
    else if (event.key === "v") turnView();
    else if (event.key === "d" && controls.differ) controls.differ.click();
    else if (event.key === "/") byId("words").focus();
    else return;
    event.preventDefault();
  });
  byId("theme").addEventListener("click", () => {
    const root = document.documentElement, dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  });

  build();
  let asked = "";
  try { asked = decodeURIComponent(location.hash.slice(1)); } catch { /* no address of an item */ }
  const found = index.id.indexOf(asked);
  if (found >= 0) state.at = found;
  refresh(found >= 0);
})();

"use strict";
// Texts of results reach the page as text nodes only, never as markup.

const PARTS = ["frontend", "device", "suite", "verdict"];
const STATE = [...PARTS, "q", "order", "dtype", "row", "cell"];
const ROWS = 40; // rows of the matrix that are added at a time
const LISTED = 50; // failures, and groups of reasons, that are added at a time
const NAMED = 300; // cases that a group of reasons names
const FEW = 4; // operators that stand in one line; the matrix has all
const PROBLEMS = 12; // problems that are shown at once

const byId = (id) => document.getElementById(id);
const { format: number } = new Intl.NumberFormat("en");
const short = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const few = (names) => names.slice(0, FEW).join(", ")
  + (names.length > FEW ? ` and ${names.length - FEW} more` : "");
const words = (n, word) => `${number(n)} ${word}${n === 1 ? "" : "s"}`;

let run; // what the page holds: see `read`
let state = {};
let narrowed = {}; // the names of `state` as numbers, where they name something

function el(tag, props, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(props ?? {})) {
    if (key in node && !key.includes("-")) node[key] = value;
    else node.setAttribute(key, value);
  }
  node.append(...children.filter((child) => child !== null && child !== ""));
  return node;
}

function svg(tag, props, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [key, value] of Object.entries(props)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

// Theme

const storage = {
  get: () => { try { return localStorage.getItem("nnadapter-theme"); } catch { return null; } },
  set: (value) => { try { localStorage.setItem("nnadapter-theme", value); } catch { /* a guest */ } },
};
const isDark = () =>
  (document.documentElement.dataset.theme ??
    (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";

function setTheme(theme) {
  if (theme === "dark" || theme === "light") document.documentElement.dataset.theme = theme;
}

function startTheme() {
  const button = byId("theme");
  const tell = () => {
    button.textContent = isDark() ? "Light" : "Dark";
    button.setAttribute("aria-label", `Switch to ${isDark() ? "light" : "dark"} colours`);
  };
  button.onclick = () => {
    setTheme(isDark() ? "light" : "dark");
    storage.set(document.documentElement.dataset.theme);
    tell();
  };
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", tell);
  tell();
}

// Data and state

function read() {
  const data = JSON.parse(byId("data").textContent);
  data.cells = data.cells.map(([suite, frontend, device, op, row, found]) => {
    const counts = data.verdicts.map(() => 0);
    for (let k = 0; k < found.length; k += 2) counts[found[k]] = found[k + 1];
    return { suite, frontend, device, op, row, counts };
  });
  data.cases = data.cases.map(([suite, frontend, device, op, row, verdict, reason, name, details]) =>
    ({ suite, frontend, device, op, row, verdict, reason, name, details,
       text: `${data.rows[row]} ${data.ops[op]} ${name}`.toLowerCase() }));
  data.lists = { frontend: data.frontends, device: data.devices, suite: data.suites,
                 verdict: data.verdicts };
  return data;
}

function readHash() {
  const given = new URLSearchParams(location.hash.includes("=") ? location.hash.slice(1) : "");
  state = Object.fromEntries(STATE.map((key) => [key, given.get(key) ?? ""]));
}

function writeHash() {
  const given = new URLSearchParams(STATE.filter((key) => state[key]).map((key) => [key, state[key]]));
  history.replaceState(null, "", `#${given}`);
}

function change(changes) {
  Object.assign(state, changes);
  writeHash();
  show();
}

function narrow() {
  narrowed = {};
  for (const key of PARTS) {
    const place = run.lists[key].indexOf(state[key]);
    if (state[key] && place >= 0) narrowed[key] = place;
  }
  narrowed.q = state.q.trim().toLowerCase();
}

const isPlaced = (x) => ["frontend", "device", "suite"].every(
  (key) => narrowed[key] === undefined || x[key] === narrowed[key]);
const isWanted = (verdict) => state.verdict === "failing"
  ? isBad(verdict) : narrowed.verdict === undefined || verdict === narrowed.verdict;
const isShown = (c) => isPlaced(c) && isWanted(c.verdict) && c.text.includes(narrowed.q);

// Controls

function startControls() {
  for (const key of PARTS) {
    const select = byId(key);
    const names = run.lists[key];
    const used = key === "verdict"
      ? names.filter((_, k) => run.cells.some((cell) => cell.counts[k])) : names;
    select.append(...used.map((name) => el("option", { value: name }, name)));
    select.onchange = () => change({ [key]: select.value });
  }
  byId("q").oninput = () => change({ q: byId("q").value });
  const form = document.querySelector(".filters");
  form.onsubmit = (event) => event.preventDefault();
  form.onreset = () => change({ frontend: "", device: "", suite: "", verdict: "", q: "" });
  for (const tile of document.querySelectorAll(".tile"))
    tile.onclick = () => toggle({ verdict: tile.dataset.verdict });
  for (const total of document.querySelectorAll(".total"))
    total.onclick = () => toggle({ frontend: total.dataset.frontend, device: total.dataset.device });
  for (const link of document.querySelectorAll("nav a, .skip-link"))
    link.onclick = (event) => { // the hash keeps the filters
      event.preventDefault();
      const section = document.querySelector(link.getAttribute("href"));
      section.scrollIntoView();
      section.focus({ preventScroll: true });
    };
}

const isOn = (given) => Object.keys(given).every((key) => state[key] === given[key]);

function toggle(given) {
  const wasOn = isOn(given);
  change(wasOn ? Object.fromEntries(Object.keys(given).map((key) => [key, ""])) : given);
  if (!wasOn) document.querySelector(".filters").scrollIntoView(); // what changes is below
}

function showControls() {
  for (const key of [...PARTS, "q"]) if (byId(key).value !== state[key]) byId(key).value = state[key];
  const isFiltered = [...PARTS, "q"].some((key) => state[key]);
  document.querySelector(".filters button").hidden = !isFiltered;
  for (const tile of document.querySelectorAll(".tile"))
    tile.setAttribute("aria-pressed", isOn({ verdict: tile.dataset.verdict }));
  for (const total of document.querySelectorAll(".total"))
    total.setAttribute("aria-pressed",
      isOn({ frontend: total.dataset.frontend, device: total.dataset.device }));
}

// Matrix

function add(sums, counts) {
  counts.forEach((count, k) => { sums[k] += isWanted(k) ? count : 0; });
  return sums;
}

const none = () => run.verdicts.map(() => 0);
const sum = (counts, test) => counts.reduce((all, n, k) => all + (test(k) ? n : 0), 0);
const isKind = (kind) => (k) => run.kinds[k] === kind;
const isBad = isKind("fail");
const isGap = isKind("limit");
const is = (verdict) => (k) => run.verdicts[k] === verdict;

// The rows of the matrix: standard operators with the counts of each column; below each, those of
// its spellings. A search finds them by their own name, by a spelling's and by a case's.
function matrixRows() {
  const cases = narrowed.q ? run.cases.filter(isShown) : [];
  const found = new Set(cases.map((c) => `${c.row} ${c.op}`));
  const isFound = ({ row, op }) => !narrowed.q || found.has(`${row} ${op}`)
    || `${run.rows[row]} ${run.ops[op]}`.toLowerCase().includes(narrowed.q);
  const rows = new Map();
  for (const cell of run.cells) {
    if (!isPlaced(cell) || !sum(cell.counts, isWanted) || !isFound(cell)) continue;
    const row = part(rows, cell.row, run.rows[cell.row]);
    const below = part(row.below, cell.op, run.ops[cell.op]);
    for (const one of [row, below]) {
      const column = `${cell.frontend} ${cell.device}`;
      one.cells.set(column, add(one.cells.get(column) ?? none(), cell.counts));
      add(one.all, cell.counts);
    }
  }
  return [...rows.values()].sort(state.order === "name" ? byName : byTrouble);
}

function part(parts, key, name) {
  if (!parts.has(key)) parts.set(key, { name, cells: new Map(), all: none(), below: new Map() });
  return parts.get(key);
}

const byName = (a, b) => (a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1);
const trouble = (a, b) => sum(b, isBad) - sum(a, isBad) || sum(b, isGap) - sum(a, isGap);
const byTrouble = (a, b) => trouble(a.all, b.all) || byName(a, b);

// The kind of a cell, what stands in it, and the same in full.
function mark(counts) {
  const all = sum(counts, () => true);
  const skipped = sum(counts, is("skip"));
  const passed = sum(counts, is("pass"));
  const ran = all - skipped;
  const full = run.verdicts.map((v, k) => counts[k] && `${number(counts[k])} ${v}`).filter(Boolean).join(", ");
  if (sum(counts, isBad)) return ["fail", `✗ ${number(passed)}/${number(ran)}`, full];
  if (sum(counts, isGap)) return ["limit", `~ ${number(passed)}/${number(ran)}`, full];
  if (ran) return ["pass", `✓ ${number(ran)}`, full];
  return ["skip", `– ${number(skipped)}`, full];
}

function matrixHead(columns) {
  const order = el("button", { type: "button", onclick: () =>
    change({ order: state.order === "name" ? "" : "name" }) },
    state.order === "name" ? "Operator, by name" : "Operator, problems first");
  const top = el("tr", {}, el("th", { scope: "col", rowSpan: 2 }, order));
  const below = el("tr");
  columns.forEach(({ frontend, device, isFirst, span }) => {
    const className = isFirst ? "first" : "";
    if (isFirst) top.append(el("th", { scope: "colgroup", colSpan: span, className }, run.frontends[frontend]));
    below.append(el("th", { scope: "col", className }, run.devices[device]));
  });
  return el("thead", {}, top, below);
}

// Frameworks and below them their devices, those with problems first.
function matrixColumns(rows) {
  const frontends = new Map();
  for (const row of rows)
    for (const [key, counts] of row.cells) {
      const [frontend, device] = key.split(" ").map(Number);
      const one = part(frontends, frontend, run.frontends[frontend]);
      for (const sums of [one.all, part(one.below, device, run.devices[device]).all])
        counts.forEach((count, k) => { sums[k] += count; });
    }
  const sorted = (parts) => [...parts].sort(([a, one], [b, other]) =>
    (state.order === "name" ? 0 : trouble(one.all, other.all)) || a - b);
  return sorted(frontends).flatMap(([frontend, { below }]) => sorted(below).map(([device], k) =>
    ({ frontend, device, key: `${frontend} ${device}`, isFirst: k === 0, span: below.size })));
}

function matrixRow(row, columns, parent) {
  const isOpen = !parent && state.row === row.name;
  const name = parent ? row.name : el("button",
    { type: "button", className: "opener", "aria-expanded": String(isOpen),
      onclick: () => change({ row: isOpen ? "" : row.name }) }, row.name);
  const line = el("tr", { className: parent ? "below" : "" },
    el("th", { scope: "row", className: "name", title: row.name }, name));
  for (const { frontend, device, key, isFirst } of columns) {
    const counts = row.cells.get(key);
    const place = [run.frontends[frontend], run.devices[device], ...(parent ? [parent] : []), row.name];
    line.append(el("td", { className: isFirst ? "first" : "" }, counts ? cellNode(place, counts) : ""));
  }
  const below = isOpen ? [...row.below.values()].sort(byTrouble) : [];
  return [line, ...below.flatMap((one) => matrixRow(one, columns, row.name))];
}

const PATH = ["frontends", "devices", "rows", "ops"]; // what the parts of a link to a cell name
const linkTo = (place) => place.map((name, k) => encode(name, run[PATH[k]])).join("/");

function encode(name, list) {
  try { return encodeURIComponent(name); } catch { return `~${list.indexOf(name)}`; } // half a character
}

function decode(text, list) {
  if (/^~\d+$/.test(text)) return list[Number(text.slice(1))];
  try { return decodeURIComponent(text); } catch { return text; } // a link that somebody wrote
}

function cellNode(place, counts) {
  const [kind, text, full] = mark(counts);
  const [frontend, device] = place;
  const where = `${place.at(-1)}, ${frontend} on ${device}: ${full}`;
  if (kind === "pass" && sum(counts, is("pass")) === sum(counts, () => true))
    return el("span", { className: "cell pass", title: where }, text);
  const cell = linkTo(place);
  return el("button", { type: "button", className: `cell ${kind}`, title: where, "aria-label": where,
                        "data-cell": cell, onclick: () => change({ cell }) }, text);
}

// Problems in words: which operator differs in which framework on which device.
function showProblems(rows) {
  const places = rows.flatMap((row) => [...row.cells].map(([key, all]) => ({ name: row.name, key, all })));
  const failing = places.filter(({ all }) => sum(all, isBad)).sort(byTrouble);
  const gaps = places.filter(({ all }) => !sum(all, isBad) && sum(all, isGap)).sort(byTrouble);
  const listed = narrowed.q || state.verdict ? [...failing, ...gaps] : failing;
  const target = byId("problems-list");
  target.replaceChildren(...listed.slice(0, PROBLEMS).map(problem));
  if (listed.length > PROBLEMS) {
    const more = el("button", { type: "button", className: "more" },
      `Show the other ${number(listed.length - PROBLEMS)}`);
    more.onclick = () => target.replaceChildren(...listed.map(problem));
    target.append(el("li", {}, more));
  }
  const operators = new Set(failing.map(({ name }) => name)).size;
  byId("problems-count").textContent = failing.length
    ? `${words(operators, "operator")} ${operators === 1 ? "differs" : "differ"}, in ${words(failing.length, "place")}.`
    : `No operator differs.${gaps.length ? ` In ${words(gaps.length, "place")} something is not supported.` : ""}`;
}

function problem({ name, key, all }) {
  const [frontend, device] = key.split(" ").map(Number);
  const names = [run.frontends[frontend], run.devices[device]];
  const said = run.verdicts.map((verdict, k) => (isBad(k) || isGap(k)) && all[k] && `${number(all[k])} ${verdict}`);
  const ran = sum(all, (k) => !is("skip")(k));
  return el("li", {}, el("button", { type: "button", className: `problem ${mark(all)[0]}`,
                                     onclick: () => change({ cell: linkTo([...names, name]) }) },
    el("b", {}, name), el("span", {}, `${names[0]} on ${names[1]}`),
    el("small", {}, `${said.filter(Boolean).join(", ")} of ${words(ran, "case")}`)));
}

function showMatrix() {
  const rows = matrixRows();
  const columns = matrixColumns(rows);
  const body = el("tbody");
  const box = byId("matrix-table").parentElement;
  let next = 0;
  const more = () => {
    body.append(...rows.slice(next, next + ROWS).flatMap((row) => matrixRow(row, columns)));
    next += ROWS;
  };
  box.onscroll = () => {
    if (next < rows.length && box.scrollTop + 2 * box.clientHeight > box.scrollHeight) more();
  };
  more();
  showProblems(rows);
  box.scrollTop = 0;
  box.hidden = !rows.length;
  byId("matrix-table").replaceChildren(matrixHead(columns), body);
  const results = rows.reduce((all, row) => all + sum(row.all, () => true), 0);
  byId("matrix-count").textContent = rows.length
    ? `${words(rows.length, "operator")}, ${words(results, "result")}.` : "No operator is behind this filter.";
}

// Cases

const badge = (verdict) => el("span",
  { className: `badge ${run.kinds[verdict]}` }, run.verdicts[verdict]);
const where = (c) => `${run.frontends[c.frontend]} · ${run.devices[c.device]} · ${run.suites[c.suite]}`;

function card(c) {
  const summary = el("summary", {}, badge(c.verdict), el("span", {}, el("b", {}, c.name),
    el("small", {}, where(c)), el("small", { className: "why" }, run.reasons[c.reason])));
  const node = el("details", { className: "card" }, summary);
  node.ontoggle = () => { if (node.open && node.children.length === 1) node.append(cardBody(c)); };
  return node;
}

function cardBody(c) {
  const d = c.details ?? {};
  const facts = {
    "operator": run.rows[c.row],
    "called": run.ops[c.op],
    "precision": d.dtype,
    "worst element": d.index && `at ${d.index}: ${d.got_value ?? "?"} instead of ${d.want_value ?? "?"}`,
    "absolute": d.max_absolute, "relative": d.max_relative, "in the last place": d.max_ulp,
    "our error": d.error && `${d.error}, the origin’s own ${d.yardstick ?? "not known"}`,
    "time": d.seconds && `${d.seconds} s`,
  };
  const list = el("dl", { className: "facts" }, ...Object.entries(facts).filter(([, text]) => text)
    .map(([key, text]) => el("div", {}, el("dt", {}, key), el("dd", {}, text))));
  const code = (title, text, canCopy) => (text ? codeNode(title, text, canCopy) : null);
  return el("div", { className: "body" },
    el("p", { className: "reason" }, run.reasons[c.reason] || "No reason was given."), list,
    code("Reproduce", d.command, true),
    code(d.inputs?.length === 1 ? "Input" : "Inputs", d.inputs?.join("\n")),
    d.got || d.want ? el("div", { className: "pair" }, code("Got", d.got), code("Origin’s", d.want)) : null,
    code("Case, ready to paste", d.row, true));
}

function codeNode(title, text, canCopy) {
  const button = canCopy && el("button", { type: "button", onclick: () => copy(text),
                                           "aria-label": `Copy: ${title}` }, "Copy");
  return el("div", { className: "code" }, el("header", {}, title, button || ""),
    el("pre", { tabIndex: 0 }, text));
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    say("Copied");
  } catch {
    say("The browser does not let this page copy; select the text instead");
  }
}

function say(text) {
  byId("said").textContent = text;
  clearTimeout(say.timer);
  say.timer = setTimeout(() => { byId("said").textContent = ""; }, 2500);
}

// A page of nodes at a time, with a button for more: thousands take a browser long to lay out.
function list(target, items, node) {
  let next = 0;
  const button = el("button", { type: "button", className: "more" });
  const more = () => {
    button.before(...items.slice(next, next + LISTED).map(node));
    next += LISTED;
    button.hidden = next >= items.length;
    button.textContent = `Show more of the ${number(items.length - next)} left`;
  };
  button.onclick = more;
  target.replaceChildren(button);
  more();
}

function showFailures() {
  const cases = run.cases.filter((c) => isBad(c.verdict) && isShown(c));
  const all = run.cells.reduce((n, cell) => n + sum(cell.counts, isBad), 0);
  list(byId("failures-list"), cases, card);
  byId("failures-count").textContent = !all ? "Nothing failed."
    : `${number(cases.length)} of ${words(all, "failure")}.${unlisted()}`;
}

const unlisted = () => run.unlisted
  ? ` ${words(run.unlisted, "case")} for which this page has no room are in the JSON report.` : "";

function showDialog() {
  const dialog = byId("cell");
  const [frontend, device, row, op] = state.cell.split("/").map((text, k) => decode(text, run[PATH[k]] ?? []));
  const isNamed = run.frontends.includes(frontend) && run.devices.includes(device) && run.rows.includes(row);
  if (!isNamed || (op !== undefined && !run.ops.includes(op))) {
    if (dialog.open) dialog.close();
    return;
  }
  const isHere = (x) => run.rows[x.row] === row && run.frontends[x.frontend] === frontend
    && run.devices[x.device] === device && (op === undefined || run.ops[x.op] === op) && isPlaced(x);
  const here = run.cells.filter(isHere);
  const counts = here.reduce((all, cell) => add(all, cell.counts), none());
  const called = few([...new Set(here.map((cell) => run.ops[cell.op]))]);
  byId("cell-title").textContent = op ?? row;
  byId("cell-count").textContent = `${frontend} on ${device}: ${mark(counts)[2] || "nothing"}`
    + (op === undefined && called !== row ? `, called ${called}` : "");
  list(byId("cell-list"), run.cases.filter((c) => isHere(c) && isWanted(c.verdict)), card);
  if (!dialog.open) dialog.showModal();
  dialog.scrollTop = 0;
}

function startDialog() {
  const dialog = byId("cell");
  dialog.onclose = () => { if (state.cell) change({ cell: "" }); };
  dialog.querySelector(".close").onclick = () => dialog.close();
  dialog.onclick = (event) => { if (event.target === dialog) dialog.close(); };
}

// Limits and skips, under their reasons

function showGroups(id, kind, empty) {
  const groups = new Map();
  for (const c of run.cases) {
    if (run.kinds[c.verdict] !== kind || !isShown(c)) continue;
    if (!groups.has(c.reason)) groups.set(c.reason, []);
    groups.get(c.reason).push(c);
  }
  const sorted = [...groups].sort((a, b) => b[1].length - a[1].length);
  list(byId(id), sorted, ([reason, cases]) => group(reason, cases, kind));
  if (!sorted.length) byId(id).append(el("p", { className: "empty" }, empty));
}

function group(reason, cases, verdict) {
  const names = (key, list) => [...new Set(cases.map((c) => list[c[key]]))];
  const ops = few(names("row", run.rows));
  const places = [...names("frontend", run.frontends), ...names("device", run.devices)].join(" · ");
  const node = el("details", { className: "group" }, el("summary", {},
    el("b", { className: `count ${verdict}` }, number(cases.length)),
    el("span", {}, run.reasons[reason] || "No reason was given.", el("small", {}, `${places} — ${ops}`))));
  node.ontoggle = () => { if (node.open && node.children.length === 1) node.append(table(cases)); };
  return node;
}

const box = (title, ...parts) => el("div",
  { className: "box", tabIndex: 0, role: "region", "aria-label": title }, el("table", {}, ...parts));

function table(cases) {
  const head = ["Case", "Framework", "Device", "Suite"].map((title) => el("th", { scope: "col" }, title));
  const rows = cases.slice(0, NAMED).map((c) => el("tr", {},
    el("th", { scope: "row", className: "name", title: c.name }, c.name), el("td", {}, run.frontends[c.frontend]),
    el("td", {}, run.devices[c.device]), el("td", {}, run.suites[c.suite])));
  if (cases.length > NAMED)
    rows.push(el("tr", {}, el("td", {}, `and ${number(cases.length - NAMED)} more`)));
  return box("Cases", el("thead", {}, el("tr", {}, ...head)), el("tbody", {}, ...rows));
}

// The rest

function showSlowest() {
  const rows = [...document.querySelectorAll("#slowest tbody tr")];
  for (const row of rows) {
    const { frontend, device, suite, verdict, name } = row.dataset;
    row.hidden = !(isPlaced({ frontend: run.frontends.indexOf(frontend), device: run.devices.indexOf(device),
                              suite: run.suites.indexOf(suite) })
      && isWanted(run.verdicts.indexOf(verdict)) && name.toLowerCase().includes(narrowed.q));
  }
  const isEmpty = rows.every((row) => row.hidden);
  const note = document.querySelector("#slowest .empty[hidden], #slowest .box + .empty");
  if (!rows.length || !note) return;
  note.hidden = !isEmpty;
  document.querySelector("#slowest .box").hidden = isEmpty;
}

let shown = null; // the state that the page shows, but for the open cell

function show() {
  const { cell, ...rest } = state;
  const now = JSON.stringify(rest);
  if (now !== shown) {
    narrow();
    showControls();
    showMatrix();
    showFailures();
    showPlots();
    showSlowest();
    showGroups("limits-list", "limit", "None.");
    showGroups("skipped-list", "skip", "No single case was skipped.");
    shown = now;
  }
  showDialog();
}

setTheme(storage.get());
document.addEventListener("DOMContentLoaded", () => {
  run = read();
  readHash();
  startTheme();
  startControls();
  startDialog();
  startPlots();
  show();
  addEventListener("hashchange", () => { readHash(); show(); });
});

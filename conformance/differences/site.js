"use strict";
// Filters of the page of differences; the hash holds them, or names one question.

const KEYS = ["q", "one", "two", "operator", "kind", "agreeing"];
const byId = (id) => document.getElementById(id);
const valueOf = (key) => (key === "agreeing" ? (byId(key).checked ? "1" : "") : byId(key).value);
const named = (key) => byId(key).selectedOptions[0].textContent;

const storage = {
  get: () => { try { return localStorage.getItem("nnadapter-theme"); } catch { return null; } },
  set: (value) => { try { localStorage.setItem("nnadapter-theme", value); } catch { /* a guest */ } },
};
const isDark = () => (document.documentElement.dataset.theme ??
  (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";

function setTheme(theme) {
  if (theme === "dark" || theme === "light") document.documentElement.dataset.theme = theme;
}

function startTheme() {
  const button = byId("theme");
  const tell = () => { button.textContent = isDark() ? "Light" : "Dark"; };
  button.onclick = () => {
    setTheme(isDark() ? "light" : "dark");
    storage.set(document.documentElement.dataset.theme);
    tell();
  };
  tell();
}

let questions = [];

function read() {
  questions = [...document.querySelectorAll(".question")].map((node) => ({
    node,
    text: node.textContent.toLowerCase(),
    operator: node.dataset.operator,
    kinds: node.dataset.kinds.split(" "),
    voices: new Set(node.dataset.voices.split(" ")),
    pairs: new Set(node.dataset.pairs.split(",")),
    differs: Boolean(node.dataset.differs),
  }));
}

const pairOf = (a, b) => [a, b].sort().join(" ");
const hasBoth = (x, a, b) => (a === "standard" || x.voices.has(a)) && (b === "standard" || x.voices.has(b));

function isShown(x, given) {
  if (given.q && !x.text.includes(given.q.trim().toLowerCase())) return false;
  if (given.operator && x.operator !== given.operator) return false;
  if (given.kind && !x.kinds.includes(given.kind)) return false;
  const [a, b] = [given.one, given.two];
  const pairs = [...x.pairs].map((pair) => pair.split(" "));
  if (a && b) {
    if (!hasBoth(x, a, b)) return false;
    return Boolean(given.agreeing) || x.pairs.has(pairOf(a, b));
  }
  const only = a || b;
  if (only && only !== "standard" && !x.voices.has(only)) return false;
  if (given.agreeing) return true;
  return only ? pairs.some((pair) => pair.includes(only)) : x.differs;
}

function show() {
  const given = Object.fromEntries(KEYS.map((key) => [key, valueOf(key)]));
  let count = 0;
  for (const x of questions) {
    x.node.hidden = !isShown(x, given);
    count += !x.node.hidden;
  }
  for (const family of document.querySelectorAll(".family"))
    family.hidden = !family.querySelector(".question:not([hidden])");
  byId("count").textContent = `${count} question${count === 1 ? "" : "s"}`;
  byId("none").hidden = count > 0;
  byId("pair").textContent = tellPair(given.one, given.two);
  document.querySelector(".filters button").hidden = !KEYS.some((key) => given[key]);
}

function tellPair(a, b) {
  if (!a || !b || a === b) return "";
  const both = questions.filter((x) => hasBoth(x, a, b));
  const other = both.filter((x) => x.pairs.has(pairOf(a, b)));
  return `${named("one")} and ${named("two")} differ on ${other.length} of ${both.length} questions that both were asked.`;
}

function write() {
  const given = new URLSearchParams(KEYS.filter(valueOf).map((key) => [key, valueOf(key)]));
  history.replaceState(null, "", `#${given}`);
  show();
}

function restore() {
  const hash = decodeURIComponent(location.hash.slice(1));
  const question = hash ? questions.find((x) => x.node.id === hash) : undefined;
  if (question) {
    show();
    question.node.hidden = false; // a link to a question shows it, whatever the filters
    question.node.closest(".family").hidden = false;
    question.node.scrollIntoView();
    return;
  }
  const given = new URLSearchParams(location.hash.includes("=") ? location.hash.slice(1) : "");
  for (const key of KEYS) {
    if (key === "agreeing") byId(key).checked = given.has(key);
    else byId(key).value = given.get(key) ?? "";
  }
  show();
}

setTheme(storage.get());
document.addEventListener("DOMContentLoaded", () => {
  read();
  startTheme();
  for (const key of KEYS) byId(key).addEventListener(key === "q" ? "input" : "change", write);
  const form = document.querySelector(".filters");
  form.onsubmit = (event) => event.preventDefault();
  form.onreset = () => setTimeout(write);
  addEventListener("hashchange", restore);
  restore();
});

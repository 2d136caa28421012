// Plots of distances; the rest of the script is page.js.

let drawnFor = 0; // plots are drawn as wide as they stand, so that their text keeps its size
const widthOfPlots = () => byId("distances").clientWidth;

function startPlots() {
  const chip = (name, title) => el("button",
    { type: "button", "data-dtype": name, onclick: () => change({ dtype: name }) }, title);
  const names = run.dtypes.filter(Boolean).map((name) => chip(name, name));
  byId("dtypes").append(...(names.length > 1 ? [chip("", "all precisions")] : []), ...names);
  new ResizeObserver(() => { if (drawnFor !== widthOfPlots()) showPlots(); }).observe(byId("distances"));
}

function showPlots() {
  for (const button of byId("dtypes").children)
    button.setAttribute("aria-pressed", button.dataset.dtype === state.dtype);
  showPlot("ulps");
  showPlot("ratios");
  drawnFor = widthOfPlots();
}

function showPlot(key) {
  const target = byId(key);
  const plots = [];
  run.devices.forEach((name, device) => {
    const sums = run.bins.map(() => [0, 0]);
    for (const [suite, frontend, on, dtype, bins] of run[key]) {
      if (on !== device || !isPlaced({ suite, frontend, device })) continue;
      if (state.dtype && run.dtypes[dtype] !== state.dtype) continue;
      for (const [bin, passing, failing] of bins) {
        sums[bin][0] += passing;
        sums[bin][1] += failing;
      }
    }
    if (sums.some(([a, b]) => a + b)) plots.push([figure(name, sums), name, sums]);
  });
  target.replaceChildren(...plots.map(([node]) => node));
  if (!plots.length) target.append(el("p", { className: "empty" }, "Nothing was measured."));
  for (const [node, name, sums] of plots) // all stand before one is drawn: they share the width
    node.children[0].after(plot(sums, Math.max(240, node.clientWidth - 36), name));
}

function figure(device, sums) {
  const [passing, failing] = totals(sums);
  const caption = el("figcaption", {}, el("b", {}, device), el("span", {},
    el("i", { className: "pass" }), `${number(passing)} passing`,
    el("i", { className: "fail" }), `${number(failing)} failing`));
  const rows = sums.map((bin, k) => [run.bins[k], ...bin]).filter(([, a, b]) => a + b);
  const head = ["Distance", "Passing", "Failing"].map((title) => el("th", { scope: "col" }, title));
  const lines = rows.map((row) => el("tr", {}, ...row.map((x) => el("td", {}, String(x)))));
  return el("figure", {}, caption, el("details", {}, el("summary", {}, "as a table"),
    box("Counts", el("thead", {}, el("tr", {}, ...head)), el("tbody", {}, ...lines))));
}

const totals = (sums) => [0, 1].map((k) => sums.reduce((n, bin) => n + bin[k], 0));

// Two bars a bin, from a common base line; the failing ones stand to the right.
function plot(sums, width, device) {
  const [allPassing, allFailing] = totals(sums);
  const label = `${device}: ${allPassing} passing and ${allFailing} failing results by distance`;
  const [height, bottom, top] = [220, 190, 18];
  const most = Math.max(...sums.flat());
  const scale = (n) => (n ? (bottom - top) * Math.max(0.02, Math.log10(1 + n) / Math.log10(1 + most)) : 0);
  const step = width / sums.length;
  const last = sums.length - 1;
  const every = step > 40 ? 1 : step > 20 ? 2 : 4;
  const node = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label });
  for (let n = 1; n <= most; n *= 10)
    node.append(svg("line", { x1: 0, x2: width, y1: bottom - scale(n), y2: bottom - scale(n) }));
  node.append(svg("line", { x1: 0, x2: width, y1: bottom, y2: bottom }));
  sums.forEach(([passing, failing], k) => {
    const both = passing && failing;
    const wide = step * (both ? 0.42 : 0.8);
    const bar = (n, x, className) => n && node.append(svg("rect",
      { x, y: bottom - scale(n), width: wide, height: scale(n), rx: 1.5, class: className },
      svg("title", {}, `${run.bins[k]}: ${number(n)} ${className === "pass" ? "passing" : "failing"}`)));
    bar(passing, k * step + step * 0.1, "pass");
    bar(failing, k * step + step * (both ? 0.52 : 0.1), "fail");
    if ((passing || failing) && step > 18)
      node.append(svg("text", { x: (k + 0.5) * step, y: bottom - scale(Math.max(passing, failing)) - 5, class: "n", "text-anchor": "middle" },
        short.format(passing + failing)));
    if (k === last || (k % every === 0 && k <= last - every))
      node.append(svg("text", { x: (k + 0.5) * step, y: bottom + 18, "text-anchor": "middle" }, run.bins[k]));
  });
  return node;
}

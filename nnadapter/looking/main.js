"use strict";
/* The page: gestures, search, what is chosen, what is open. */

const SHOWN = 160; // boxes at first, where the model has modules
const FOUND = 40;

document.addEventListener("DOMContentLoaded", () => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const at = (id) => document.getElementById(id);
  const scene = new Scene(data);
  if (location.hash === "#all") scene.openAll(true);
  else scene.openSome(SHOWN);
  scene.place();
  const view = new View(at("canvas"), scene);
  const canvas = graphics.select(view.canvas);
  const summary = [...at("panel").childNodes];
  let [traced, direction] = [-1, ""];

  const zoom = graphics.zoom().scaleExtent([1e-5, 4]).clickDistance(5).on("zoom", (event) => view.move(event.transform));
  canvas.call(zoom).on("dblclick.zoom", null);

  const glide = (transform, isSlow = true) => {
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (isSlow && !calm) canvas.transition().duration(350).ease(graphics.easeCubicOut).call(zoom.transform, transform);
    else canvas.call(zoom.transform, transform);
  };

  /* The whole drawing, or as much of its width as is legible, from its top. */
  const fit = (isWhole, isSlow) => {
    const [width, height] = [scene.width[scene.nodes], scene.height[scene.nodes]];
    const room = view.wide - 40;
    const whole = Math.min(room / width, (view.tall - 40) / height, 1.2);
    const k = isWhole ? whole : Math.max(whole, Math.min(1, Math.max(room / width, 0.45)));
    const isTall = height * k > view.tall - 40;
    const middle = isWhole || !scene.boxes.length ? width / 2 : scene.x[scene.boxes[0]];
    const centre = width * k <= room ? width / 2 : middle;
    glide(graphics.zoomIdentity.translate(view.wide / 2 - centre * k, isTall && !isWhole ? 24 : (view.tall - height * k) / 2).scale(k), isSlow);
  };

  const center = (item, isSlow) => {
    const k = Math.max(view.transform.k, 0.8);
    const y = scene.top[item] + Math.min(scene.height[item], view.tall / k) / 2;
    glide(graphics.zoomIdentity.translate(view.wide / 2 - scene.x[item] * k, view.tall / 2 - y * k).scale(k), isSlow);
  };

  const light = () => {
    view.light(traced < 0 ? null : new Set([...scene.trace(traced, direction)].map((node) => scene.shown(node))));
    for (const button of at("panel").querySelectorAll("[data-path]")) {
      button.setAttribute("aria-pressed", String(traced === view.chosen && button.dataset.path === direction));
    }
  };

  const trace = (node, wanted) => {
    const isSame = traced === node && direction === wanted;
    [traced, direction] = isSame ? [-1, ""] : [node, wanted];
    light();
  };

  const choose = (item) => {
    view.chosen = item;
    if (item < 0) { at("panel").replaceChildren(...summary); traced = -1; }
    else panel.show(item);
    document.body.classList.toggle("chosen", item >= 0);
    light();
  };

  /* Place everything anew; the thing that was touched stays where it was on the screen. */
  const change = (item) => {
    const { x, y, k } = view.transform;
    const [left, top] = [scene.x[item] * k + x, scene.top[item] * k + y];
    scene.place();
    if (view.chosen >= 0 && !scene.isModule(view.chosen) && scene.shown(view.chosen) !== view.chosen) choose(-1);
    glide(graphics.zoomIdentity.translate(left - scene.x[item] * k, top - scene.top[item] * k).scale(k), false);
    light();
  };

  const toggle = (item) => {
    const module = item - scene.nodes;
    scene.open[module] = scene.open[module] ? 0 : 1;
    change(item);
    choose(item);
  };

  const go = (item) => {
    scene.reveal(item);
    scene.place();
    choose(item);
    center(item, true);
  };

  const panel = new Panel(at("panel"), scene, { go, toggle, trace });

  if (data.heat) {
    at("top").replaceChildren(...panel.top());
    at("heat").addEventListener("click", () => {
      view.heat = view.heat ? null : data.heat;
      at("heat").setAttribute("aria-pressed", String(Boolean(view.heat)));
      view.change();
    });
  }

  canvas.on("click", (event) => {
    if (event.defaultPrevented) return;
    const item = view.at(event.offsetX, event.offsetY);
    if (item >= 0 && scene.isModule(item) && isOnSign(item, event)) toggle(item);
    else choose(item);
  }).on("dblclick", (event) => {
    const item = view.at(event.offsetX, event.offsetY);
    if (item >= 0 && scene.isModule(item) && !isOnSign(item, event)) toggle(item);
  }).on("pointermove", (event) => {
    if (event.pointerType === "mouse" && !event.buttons) view.canvas.style.cursor = view.at(event.offsetX, event.offsetY) >= 0 ? "pointer" : "grab";
  });

  const isOnSign = (item, event) => {
    const [x] = view.transform.invert([event.offsetX, event.offsetY]);
    return x - (scene.x[item] - scene.width[item] / 2) < 28;
  };

  const setAll = (value) => {
    scene.openAll(value);
    scene.place();
    choose(-1);
    fit(false, false);
  };
  at("open").addEventListener("click", () => setAll(true));
  at("close").addEventListener("click", () => setAll(false));
  at("fit").addEventListener("click", () => fit(true, true));
  at("nearer").addEventListener("click", () => canvas.transition().duration(200).call(zoom.scaleBy, 1.6));
  at("farther").addEventListener("click", () => canvas.transition().duration(200).call(zoom.scaleBy, 1 / 1.6));
  at("back").addEventListener("click", () => choose(-1));

  // Search

  const search = at("q");
  const results = at("results");
  const texts = data.nodes.map((name, node) => `${name} ${data.origins[node]} ${scene.kind(node)}`.toLowerCase());
  const modules = data.modules.map(([name]) => name.toLowerCase());
  let [hits, current] = [[], 0];

  const find = () => {
    const words = search.value.trim().toLowerCase().split(/\s+/).filter(Boolean);
    const matches = (text) => words.every((word) => text.includes(word));
    hits = [];
    current = 0;
    let total = 0;
    if (words.length) {
      for (let module = 1; module < modules.length; module += 1) if (matches(modules[module])) { total += 1; if (hits.length < FOUND) hits.push(scene.nodes + module); }
      for (let node = 0; node < texts.length; node += 1) if (matches(texts[node])) { total += 1; if (hits.length < FOUND) hits.push(node); }
    }
    at("found").textContent = words.length ? `${number(total)} found` : "";
    results.replaceChildren(...hits.map((item) => {
      const kind = scene.isModule(item) ? "module" : scene.kind(item);
      return make("li", {}, make("button", { type: "button", click: () => { go(item); results.hidden = true; } }, make("b", {}, kind), " ", scene.name(item)));
    }));
    results.hidden = !hits.length;
  };
  search.addEventListener("input", find);
  search.addEventListener("focus", () => { results.hidden = !hits.length; });
  search.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && hits.length) { go(hits[current % hits.length]); current += 1; results.hidden = true; }
    if (event.key === "Escape") { results.hidden = true; view.canvas.focus(); }
  });
  document.addEventListener("pointerdown", (event) => { if (!event.target.closest(".search")) results.hidden = true; }, true);

  // Keyboard

  view.canvas.addEventListener("keydown", (event) => {
    const steps = { ArrowLeft: [80, 0], ArrowRight: [-80, 0], ArrowUp: [0, 80], ArrowDown: [0, -80] };
    const { k } = view.transform;
    if (event.key in steps) canvas.call(zoom.translateBy, steps[event.key][0] / k, steps[event.key][1] / k);
    else if (event.key === "+") canvas.call(zoom.scaleBy, 1.3);
    else if (event.key === "-") canvas.call(zoom.scaleBy, 1 / 1.3);
    else if (event.key === "Escape") choose(-1);
    else if (event.key === "Enter" && scene.isModule(view.chosen)) toggle(view.chosen);
    else return;
    event.preventDefault();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && event.target !== search) { event.preventDefault(); search.focus(); }
  });

  // Size and colours

  new ResizeObserver(() => view.resize()).observe(view.canvas.parentElement);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => view.readColors());
  at("theme").addEventListener("click", () => {
    const root = document.documentElement;
    const isDark = (root.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
    root.dataset.theme = isDark ? "light" : "dark";
    view.readColors();
  });

  fit(false, false);
  view.draw();
  Object.assign(globalThis, { page: { scene, view, zoom, canvas, choose, toggle, go, fit } });
  document.documentElement.dataset.ready = String(Math.round(performance.now()));
});

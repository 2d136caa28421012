"use strict";
/* Drawing on a canvas: only what is in view, and only as much of it as the eye can tell apart. */

const FAMILIES = {
  product: ["conv", "linear", "attention", "recurrent", "linalg", "matrices", "cells", "ldl"],
  norm: ["norm"],
  activation: ["activation"],
  window: ["pool", "resize", "reduce", "windows", "sampling", "features", "signal", "detection", "boxes", "sort"],
  movement: ["shape", "index", "generate", "random"],
  quant: ["quant"],
  control: ["control"],
  end: ["input", "output"],
};
const ACTIVATIONS = ["RELU", "RELU6", "SIGMOID", "TANH", "SWISH", "GELU", "ERF", "SOFTPLUS"]; // of the family of functions
const HEAT = ["heat0", "heat1", "heat2", "heat3", "heat4", "heat5", "heat6", "wrong"]; // by level; nothing is known of what is cold
const GROUPS = [...Object.keys(FAMILIES), "plain", "module", "cold", ...HEAT];
const DOT = 2.2; // boxes that are lower than this many pixels are dots without lines between neighbours
const TEXT = 0.42; // the scale from which text is legible
const EDGE_TEXT = 0.75;
const MOST = 2500; // strokes at once; of more that cross the view, which cover each other, every nth is drawn
const MANY = 600; // strokes that are drawn ahead, as they take their time when the browser fills them
const WIDEST = 5000; // pixels: wider lines are straight
const MARGIN = 0.6; // of the view on each side, drawn ahead so that panning only moves what is drawn
const SLOW = 9; // milliseconds: what takes longer to draw is drawn ahead

class View {
  constructor(canvas, scene) {
    this.canvas = canvas;
    this.scene = scene;
    this.context = canvas.getContext("2d", { alpha: false });
    this.buffer = document.createElement("canvas");
    this.transform = graphics.zoomIdentity;
    this.heat = scene.data.heat; // a result that colours the graph, where there is one
    this.lit = null;
    this.chosen = -1;
    this.stale = true;
    this.groupOf = new Map(Object.entries(FAMILIES).flatMap(([group, names]) => names.map((name) => [name, group])));
    this.groups = scene.data.kindNames.map((kind) => ACTIVATIONS.includes(kind) ? "activation" : this.groupOf.get(scene.data.operators[kind].family) ?? "plain");
    this.readColors();
    this.resize();
  }

  readColors() {
    const style = getComputedStyle(document.documentElement);
    const probe = document.createElement("i");
    document.body.append(probe);
    const color = (name) => { probe.style.color = `var(--${name})`; return getComputedStyle(probe).color; };
    const names = ["paper", "panel", "ink", "soft", "line", "firm", "accent", "edge", "frame"];
    this.colors = Object.fromEntries(names.map((name) => [name, color(name)]));
    this.fills = Object.fromEntries(GROUPS.map((group) => [group, color(`${group}-fill`)]));
    this.marks = Object.fromEntries(GROUPS.map((group) => [group, color(`${group}-mark`)]));
    this.sans = style.getPropertyValue("--sans");
    probe.remove();
    this.change();
  }

  resize() {
    const box = this.canvas.parentElement.getBoundingClientRect();
    this.ratio = Math.min(2, devicePixelRatio || 1);
    this.wide = Math.max(1, box.width);
    this.tall = Math.max(1, box.height);
    this.canvas.width = Math.round(this.wide * this.ratio);
    this.canvas.height = Math.round(this.tall * this.ratio);
    this.change();
  }

  /* What is drawn has changed: draw all of it in the next frame. */
  change() { this.stale = true; this.ask(); }

  ask() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => { this.waiting = false; this.draw(); });
  }

  move(transform) { this.transform = transform; this.ask(); }

  draw() {
    const { x, y, k } = this.transform;
    const kept = this.kept;
    const fits = !this.stale && kept && kept.k === k && x - kept.x <= kept.wide && kept.x - x <= kept.wide && y - kept.y <= kept.tall && kept.y - y <= kept.tall;
    if (!fits) {
      const started = performance.now();
      if (this.stale || this.scale !== k || (this.cost < SLOW && this.work < MANY)) {
        this.kept = null;
        this.scale = k;
        this.paint(this.context, this.transform, this.wide, this.tall);
        this.cost = performance.now() - started;
      } else this.paintAhead();
      this.stale = false;
    }
    if (this.kept) {
      const { context, ratio } = this;
      context.setTransform(1, 0, 0, 1, 0, 0);
      const left = Math.round((x - this.kept.x - this.kept.wide) * ratio);
      const top = Math.round((y - this.kept.y - this.kept.tall) * ratio);
      context.drawImage(this.buffer, left, top);
    }
  }

  paintAhead() {
    const { x, y, k } = this.transform;
    const [wide, tall] = [Math.round(this.wide * MARGIN), Math.round(this.tall * MARGIN)];
    const [width, height] = [this.wide + 2 * wide, this.tall + 2 * tall];
    this.buffer.width = Math.round(width * this.ratio);
    this.buffer.height = Math.round(height * this.ratio);
    this.kept = { x, y, k, wide, tall };
    const moved = graphics.zoomIdentity.translate(x + wide, y + tall).scale(k);
    this.paint(this.buffer.getContext("2d", { alpha: false }), moved, width, height);
  }

  paint(context, { x, y, k }, width, height) {
    const { scene, colors, ratio } = this;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.fillStyle = colors.paper;
    context.fillRect(0, 0, context.canvas.width, context.canvas.height);
    context.setTransform(k * ratio, 0, 0, k * ratio, x * ratio, y * ratio);
    const area = [-x / k, -y / k, (width - x) / k, (height - y) / k];
    const boxes = scene.boxesIn(...area);
    this.paintFrames(context, area, k);
    const isFar = BOX.height * k < DOT;
    this.paintLines(context, area, k, isFar);
    if (isFar) this.paintDots(context, boxes, k, width, height);
    else this.paintBoxes(context, boxes, k);
    if (k >= EDGE_TEXT) this.paintTypes(context, boxes);
  }

  paintFrames(context, area, k) {
    const { scene, colors } = this;
    context.lineWidth = 1 / k;
    for (const item of scene.framesIn(...area)) {
      const [left, top, right, bottom] = scene.rectangle(item);
      if ((bottom - top) * k < 3) continue;
      context.fillStyle = colors.frame;
      context.strokeStyle = item === this.chosen ? colors.accent : colors.line;
      context.beginPath();
      context.roundRect(left, top, right - left, bottom - top, Math.min(12, 6 / k));
      context.fill();
      context.stroke();
      const size = Math.max(12, Math.min(11 / k, 40));
      if ((right - left) * k < 60 || size > (bottom - top) / 3) continue;
      context.fillStyle = colors.soft;
      context.font = `600 ${size}px ${this.sans}`;
      context.textBaseline = "top";
      const room = right - left - 14;
      context.fillText(fit(context, `− ${scene.name(item)}`, room), left + 10, top + 9);
    }
  }

  paintLines(context, area, k, isFar) {
    const { colors, scene } = this;
    context.strokeStyle = colors.edge;
    context.lineWidth = Math.max(1.1, 0.7 / k);
    context.globalAlpha = this.lit ? 0.25 : 1;
    this.work = this.paintStrokes(context, scene.strokes.in(area), k, isFar);
    context.globalAlpha = 1;
    if (!this.lit) return;
    context.strokeStyle = colors.accent;
    context.lineWidth = Math.max(2, 1.4 / k);
    this.work += this.paintStrokes(context, this.strokes.in(area), k, false);
  }

  /* How many strokes were drawn, in paths that are not too long. */
  paintStrokes(context, found, k, isFar) {
    const isLong = ([a, b, c, d]) => (Math.abs(d - b) + Math.abs(c - a)) * k >= 6;
    const strokes = isFar ? found.filter(isLong) : found;
    const step = Math.ceil(strokes.length / MOST) || 1;
    for (let begin = 0; begin < strokes.length; begin += 400 * step) {
      context.beginPath();
      for (let at = begin; at < Math.min(strokes.length, begin + 400 * step); at += step) trace(context, strokes[at], k);
      context.stroke();
    }
    return strokes.length / step;
  }

  /* What a choice lights up: boxes, and the lines between them. */
  light(items) {
    this.lit = items;
    if (items) this.strokes = this.scene.trail(this.scene.lines.filter(({ from, to }) => items.has(from) && items.has(to)));
    this.change();
  }

  /* The type of a tensor stands once, beside where its line begins. */
  paintTypes(context, boxes) {
    const { scene, colors } = this;
    context.strokeStyle = colors.paper;
    context.lineWidth = 3;
    context.lineJoin = "round";
    context.font = `10.5px ${this.sans}`;
    context.textBaseline = "middle";
    context.fillStyle = colors.soft;
    for (const item of boxes) {
      const lines = scene.starts.get(item);
      if (!lines || (this.lit && !this.lit.has(item))) continue;
      const tensors = new Set(lines.map(({ tensor }) => tensor));
      const more = tensors.size > 1 ? ` +${tensors.size - 1}` : "";
      const text = fit(context, scene.data.types[scene.data.tensors[lines[0].tensor][1]] + more, scene.width[item] / 2 + 72);
      const [x, y] = [scene.x[item] + 6, scene.top[item] + scene.height[item] + 11];
      context.strokeText(text, x, y);
      context.fillText(text, x, y);
    }
  }

  /* Boxes too small to tell apart: one dot for each place of the screen. */
  paintDots(context, boxes, k, width, height) {
    const { scene } = this;
    const wide = Math.ceil(width / 2) + 2;
    const taken = new Uint8Array(wide * (Math.ceil(height / 2) + 2));
    const { e, f } = context.getTransform();
    const paths = new Map();
    for (const item of boxes) {
      const [left, top, right, bottom] = scene.rectangle(item);
      const column = Math.max(0, Math.floor((left * k + e / this.ratio) / 2));
      const line = Math.max(0, Math.floor((top * k + f / this.ratio) / 2));
      const place = line * wide + column;
      if (taken[place]) continue;
      taken[place] = 1;
      const key = this.key(item);
      let path = paths.get(key);
      if (!path) paths.set(key, path = []);
      path.push(left, top, Math.max(right - left, 2 / k), Math.max(bottom - top, 2 / k));
    }
    for (const [key, path] of paths) {
      context.fillStyle = this.marks[key.group];
      context.globalAlpha = key.faint ? 0.2 : 1;
      for (let at = 0; at < path.length; at += 4) context.fillRect(path[at], path[at + 1], path[at + 2], path[at + 3]);
    }
    context.globalAlpha = 1;
  }

  key(item) {
    const group = this.heat ? HEAT[this.heat.levels[item]] ?? "cold" : this.scene.isModule(item) ? "module" : this.groups[this.scene.data.kinds[item]];
    const faint = this.lit !== null && !this.lit.has(item);
    this.keys ??= new Map();
    const name = `${group} ${faint}`;
    if (!this.keys.has(name)) this.keys.set(name, { group, faint });
    return this.keys.get(name);
  }

  paintBoxes(context, boxes, k) {
    const { scene } = this;
    const groups = new Map();
    for (const item of boxes) {
      const key = this.key(item);
      if (!groups.has(key)) groups.set(key, []);
      groups.get(key).push(item);
    }
    const isRound = k > 0.3;
    for (const [{ group, faint }, items] of groups) {
      context.globalAlpha = faint ? 0.28 : 1;
      context.beginPath();
      for (const item of items) {
        const [left, top, right, bottom] = scene.rectangle(item);
        if (isRound) context.roundRect(left, top, right - left, bottom - top, 7);
        else context.rect(left, top, right - left, bottom - top);
      }
      context.fillStyle = isRound ? this.fills[group] : this.marks[group];
      context.fill();
      if (isRound) {
        context.strokeStyle = this.marks[group];
        context.lineWidth = 1.2;
        context.stroke();
      }
      if (k >= TEXT) for (const item of items) this.paintText(context, item);
    }
    context.globalAlpha = 1;
    if (this.chosen >= 0 && (scene.isModule(this.chosen) ? scene.closed[this.chosen - scene.nodes] === this.chosen : scene.shown(this.chosen) === this.chosen)) {
      const [left, top, right, bottom] = scene.rectangle(this.chosen);
      context.strokeStyle = this.colors.accent;
      context.lineWidth = Math.max(2.5, 2 / k);
      context.beginPath();
      context.roundRect(left - 3, top - 3, right - left + 6, bottom - top + 6, 9);
      context.stroke();
    }
  }

  paintText(context, item) {
    const { scene, colors } = this;
    const x = scene.x[item];
    const top = scene.top[item];
    const room = scene.width[item] - (scene.isModule(item) ? 44 : 14);
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.fillStyle = colors.ink;
    context.font = `600 12px ${this.sans}`;
    const isModule = scene.isModule(item);
    const first = isModule ? scene.name(item) : scene.kind(item);
    const plain = isModule ? `${scene.counts[item - scene.nodes].toLocaleString("en")} operations` : scene.labels[item];
    const second = (this.heat && this.heat.texts[item]) || plain;
    if (isModule) context.fillText("+", scene.x[item] - scene.width[item] / 2 + 14, top + scene.height[item] / 2);
    const isPair = second !== first && second;
    const middle = top + scene.height[item] / 2;
    context.fillText(fit(context, first, room), x, isPair ? middle - 7 : middle);
    if (isPair) {
      context.font = `10.5px ${this.sans}`;
      context.fillStyle = colors.soft;
      context.fillText(fit(context, second, room), x, middle + 8);
    }
    context.textAlign = "left";
  }

  /* The thing at a place of the screen: a box, else the head of the innermost frame; else -1. */
  at(left, top) {
    const [x, y] = this.transform.invert([left, top]);
    const found = this.scene.boxesIn(x, y, x, y);
    if (found.length) return found[0];
    let frame = -1;
    for (const item of this.scene.framesIn(x, y, x, y)) {
      const [a, b, c, d] = this.scene.rectangle(item);
      if (x >= a && x <= c && y >= b && y <= Math.min(d, b + GAP.header)) frame = item;
    }
    return frame;
  }
}

function trace(context, [a, b, c, d], k) {
  context.moveTo(a, b);
  if (a === c || k < 0.15 || Math.abs(c - a) * k > WIDEST) context.lineTo(c, d);
  else {
    const half = d > b ? (d - b) / 2 : 30;
    context.bezierCurveTo(a, b + half, c, d - half, c, d);
  }
}

const cuts = new Map();

/* A text that is no wider than there is room, cut in its middle. */
function fit(context, text, room) {
  const key = `${context.font} ${Math.round(room)} ${text}`;
  let found = cuts.get(key);
  if (found === undefined) {
    found = text;
    let kept = Math.min(text.length, 120);
    while (kept > 3 && context.measureText(found).width > room) {
      kept -= Math.max(1, Math.ceil(kept / 12));
      found = `${text.slice(0, Math.ceil(kept / 2))}…${text.slice(text.length - Math.floor(kept / 2))}`;
    }
    if (cuts.size > 20000) cuts.clear();
    cuts.set(key, found);
  }
  return found;
}

"use strict";
/* Coordinates: from rows and orders to boxes and lines, for the modules that are open. */

const BOX = { height: 36, least: 84, most: 230, letter: 6.4, capital: 8.9, room: 24 };
const GAP = { row: 44, column: 34, lane: 12, padding: 18, header: 30 };

/* What a page holds: the nodes, tensors and modules of a model, and where they are drawn. */
class Scene {
  constructor(data) {
    this.data = data;
    this.nodes = data.nodes.length;
    this.solid = this.nodes + data.modules.length;
    this.size = Math.max(data.above.length, this.solid);
    this.open = new Uint8Array(data.modules.length);
    this.open[0] = 1;
    this.row = new Int32Array(this.size);
    this.width = new Float64Array(this.size);
    this.height = new Float64Array(this.size);
    this.x = new Float64Array(this.size); // middles; those of lanes too
    this.top = new Float64Array(this.size);
    this.lane = new Map(data.lanes.map(([owner, row, first, count]) => [owner, { row, first, count }]));
    this.entry = new Map(data.entries.map(([module, node, row, first, count]) => [module * this.nodes + node, { row, first, count }]));
    for (const rows of data.rows) rows.forEach((items, row) => { for (const item of items) this.row[item] = row; });
    this.counts = this.count();
    this.readers = this.findReaders();
    this.labels = data.nodes.map(shorten);
    for (let node = 0; node < this.nodes; node += 1) {
      const said = data.heat?.texts[node].length ?? 0;
      const text = Math.max(Math.max(this.labels[node].length, said) * BOX.letter, this.kind(node).length * BOX.capital);
      this.width[node] = Math.min(BOX.most, Math.max(BOX.least, text + BOX.room));
      this.height[node] = BOX.height;
    }
  }

  kind(node) { return this.data.kindNames[this.data.kinds[node]]; }

  isModule(item) { return item >= this.nodes && item < this.solid; }

  parent(item) {
    return item < this.nodes ? this.data.parents[item] : this.data.modules[item - this.nodes][1];
  }

  name(item) { return item < this.nodes ? this.data.nodes[item] : this.data.modules[item - this.nodes][0]; }

  /* The modules around a thing, the outermost first, without the one that holds everything. */
  around(item) {
    const found = [];
    for (let module = this.parent(item); module; module = this.data.modules[module][1]) found.unshift(module);
    return found;
  }

  count() {
    const counts = new Uint32Array(this.data.modules.length);
    for (const module of this.data.parents) counts[module] += 1;
    for (let module = counts.length - 1; module > 0; module -= 1) counts[this.data.modules[module][1]] += counts[module];
    return counts;
  }

  findReaders() {
    const readers = this.data.producers.map(() => []);
    this.data.reads.forEach((tensors, node) => {
      for (const tensor of new Set(tensors)) if (tensor >= 0) readers[tensor].push(node);
    });
    return readers;
  }

  /* Open modules from the outside in, while about so many boxes are shown. */
  openSome(most) {
    const inner = this.data.modules.map(() => []);
    this.data.modules.forEach(([, parent], module) => { if (module) inner[parent].push(module); });
    const own = new Uint32Array(this.open.length);
    for (const module of this.data.parents) own[module] += 1;
    let shown = own[0] + inner[0].length;
    const waiting = [...inner[0]];
    for (let place = 0; place < waiting.length; place += 1) {
      const module = waiting[place];
      const more = own[module] + inner[module].length - 1;
      if (shown + more > most) continue;
      shown += more;
      this.open[module] = 1;
      waiting.push(...inner[module]);
    }
  }

  openAll(value) { this.open.fill(value ? 1 : 0); this.open[0] = 1; }

  /* Open everything around a thing, so that it can be seen. */
  reveal(item) { for (const module of this.around(item)) this.open[module] = 1; }

  /* What is drawn for a thing: itself, or the outermost closed module around it. */
  shown(item) {
    const closed = this.closed[this.parent(item)];
    return closed < 0 ? item : closed;
  }

  place() {
    const { modules } = this.data;
    this.closed = new Int32Array(modules.length);
    for (let module = 0; module < modules.length; module += 1) {
      const outer = module ? this.closed[modules[module][1]] : -1;
      this.closed[module] = outer >= 0 ? outer : this.open[module] ? -1 : this.nodes + module;
    }
    for (let module = modules.length - 1; module >= 0; module -= 1) {
      if (this.closed[module] < 0) this.arrange(module);
      else if (this.closed[module] === this.nodes + module) this.shut(module);
    }
    this.boxes = [];
    this.frames = [];
    for (let module = 0; module < modules.length; module += 1) if (this.closed[module] < 0) this.move(module);
    this.connect();
    this.index();
  }

  shut(module) {
    const item = this.nodes + module;
    const text = Math.max(this.name(item).length * 1.15, 14);
    this.width[item] = Math.min(BOX.most, text * BOX.letter + BOX.room + 30);
    this.height[item] = BOX.height + 8;
  }

  /* Coordinates inside one module: every row from its middle, things under what they read. */
  arrange(module) {
    const own = this.nodes + module;
    const isOuter = module === 0;
    let y = isOuter ? 0 : GAP.header + 10;
    let [left, right] = [Infinity, -Infinity];
    for (const items of this.data.rows[module]) {
      const tall = items.reduce((most, item) => Math.max(most, item < this.solid ? this.height[item] : 0), 0);
      let edge = this.beginRow(items), shift = 0, known = 0;
      for (const item of items) {
        const isBox = item < this.solid;
        if (!isBox) this.height[item] = tall;
        const half = this.width[item] / 2;
        const above = this.data.above[item] ?? [];
        const wanted = above.length ? this.under(above) : edge === -Infinity ? 0 : edge + half;
        const x = Math.max(wanted, edge + half);
        if (above.length && isBox) { shift += wanted - x; known += 1; }
        this.x[item] = x;
        this.top[item] = y + (tall - this.height[item]) / 2;
        edge = x + half + GAP.column;
      }
      for (const item of items) {
        if (known) this.x[item] += shift / known;
        left = Math.min(left, this.x[item] - this.width[item] / 2);
        right = Math.max(right, this.x[item] + this.width[item] / 2);
      }
      y += tall + (tall ? GAP.row : 0);
    }
    if (left > right) [left, right] = [0, 0];
    const title = isOuter ? 0 : this.name(own).length * BOX.letter + 60;
    const spare = Math.max(0, title - (right - left) - 2 * GAP.padding) / 2;
    this.shiftOf ??= new Float64Array(this.open.length);
    this.shiftOf[module] = GAP.padding + spare - left;
    this.width[own] = right - left + 2 * (GAP.padding + spare);
    this.height[own] = y - GAP.row + (isOuter ? 0 : 14);
  }

  under(above) {
    let sum = 0;
    for (const other of above) sum += this.x[other];
    return sum / above.length;
  }

  /* Where a row begins, so that what hangs on nothing does not push the first thing that does. */
  beginRow(items) {
    let room = 0;
    for (const item of items) {
      if (item >= this.solid) this.width[item] = GAP.lane;
      const above = this.data.above[item] ?? [];
      if (above.length) return room ? this.under(above) - this.width[item] / 2 - room : -Infinity;
      room += this.width[item] + GAP.column;
    }
    return -Infinity;
  }

  /* From coordinates inside a module to those of the drawing. */
  move(module) {
    const own = this.nodes + module;
    const left = module ? this.x[own] - this.width[own] / 2 : 0;
    const top = module ? this.top[own] : 0;
    if (module) this.frames.push(own);
    for (const items of this.data.rows[module]) {
      for (const item of items) {
        this.x[item] += left + this.shiftOf[module];
        this.top[item] += top;
        if (item < this.nodes || (item < this.solid && this.closed[item - this.nodes] >= 0)) this.boxes.push(item);
      }
    }
  }

  /* One line between two boxes, whatever number of tensors it stands for. */
  connect() {
    const { reads, producers } = this.data;
    const seen = new Map();
    this.lines = [];
    for (let reader = 0; reader < this.nodes; reader += 1) {
      const to = this.shown(reader);
      for (const tensor of reads[reader]) {
        const source = tensor < 0 ? -1 : producers[tensor];
        if (source < 0) continue;
        const from = this.shown(source);
        if (from === to) continue;
        const key = from * this.solid + to;
        const line = seen.get(key);
        if (line) { if (line.tensor !== tensor) line.more += 1; continue; }
        const fresh = { from, to, tensor, source, more: 0, hops: null };
        seen.set(key, fresh);
        this.lines.push(fresh);
      }
    }
    for (const line of this.lines) line.hops = this.route(line);
    this.starts = new Map();
    for (const line of this.lines) {
      const own = this.starts.get(line.from);
      if (own) own.push(line);
      else this.starts.set(line.from, [line]);
    }
    this.strokes = this.trail(this.lines);
  }

  /* The lanes that a line goes through, each as its first place and how many of them. */
  route({ from, to, source }) {
    const hops = [];
    const [left, right] = [this.around(from), this.around(to)];
    let same = 0;
    while (same < left.length && same < right.length && left[same] === right[same]) same += 1;
    let item = from;
    for (let depth = left.length - 1; depth >= same; depth -= 1) {
      follow(hops, this.lane.get(item), Infinity);
      item = this.nodes + left[depth];
    }
    const path = [...right.slice(same).map((module) => this.nodes + module), to];
    if (this.row[path[0]] > this.row[item]) follow(hops, this.lane.get(item), this.row[path[0]]);
    for (let depth = 0; depth + 1 < path.length; depth += 1) {
      const module = path[depth] - this.nodes;
      follow(hops, this.entry.get(module * this.nodes + source), this.row[path[depth + 1]]);
    }
    return hops;
  }

  /* What lines look like: strokes from place to place; what several share is there once. */
  trail(lines) {
    const joined = new Map();
    const used = new Map();
    const join = (a, b) => joined.set(a * this.size + b, [a, b]);
    for (const { from, to, hops } of lines) {
      let last = from;
      for (let k = 0; k < hops.length; k += 2) {
        join(last, hops[k]);
        used.set(hops[k], Math.max(used.get(hops[k]) ?? 0, hops[k + 1]));
        last = hops[k] + hops[k + 1] - 1;
      }
      join(last, to);
    }
    const strokes = [];
    for (const [a, b] of joined.values()) strokes.push([this.x[a], this.top[a] + this.height[a], this.x[b], this.top[b]]);
    for (const [first, count] of used) this.trailLane(strokes, first, count);
    return new Strokes(strokes);
  }

  /* One lane: straight as long as its places lie under each other. */
  trailLane(strokes, first, count) {
    let begin = this.top[first];
    for (let item = first; item < first + count; item += 1) {
      const end = this.top[item] + this.height[item];
      const isLast = item + 1 === first + count;
      if (!isLast && Math.abs(this.x[item + 1] - this.x[item]) < 0.01) continue;
      strokes.push([this.x[item], begin, this.x[item], end]);
      if (isLast) break;
      strokes.push([this.x[item], end, this.x[item + 1], this.top[item + 1]]);
      begin = this.top[item + 1];
    }
  }

  index() {
    this.boxIndex = this.indexOf(this.boxes);
    this.frameIndex = this.indexOf(this.frames);
  }

  indexOf(items) {
    const tree = new graphics.Flatbush(Math.max(1, items.length));
    for (const item of items) tree.add(...this.rectangle(item));
    if (!items.length) tree.add(0, 0, 0, 0);
    tree.finish();
    return tree;
  }

  rectangle(item) {
    const half = this.width[item] / 2;
    return [this.x[item] - half, this.top[item], this.x[item] + half, this.top[item] + this.height[item]];
  }

  boxesIn(a, b, c, d) { return this.boxes.length ? this.boxIndex.search(a, b, c, d).map((k) => this.boxes[k]) : []; }

  /* The open modules in an area, the outer ones first. */
  framesIn(a, b, c, d) {
    return this.frames.length ? this.frameIndex.search(a, b, c, d).sort((m, n) => m - n).map((k) => this.frames[k]) : [];
  }

  /* Everything that a node depends on or that depends on it, itself included. */
  trace(node, direction) {
    const found = new Set([node]);
    const walk = (next) => {
      const waiting = [node];
      const visited = new Set(waiting);
      while (waiting.length) {
        for (const other of next(waiting.pop())) {
          if (visited.has(other)) continue;
          visited.add(other);
          found.add(other);
          waiting.push(other);
        }
      }
    };
    if (direction !== "down") walk((k) => this.data.reads[k].filter((t) => t >= 0).map((t) => this.data.producers[t]).filter((k) => k >= 0));
    if (direction !== "up") walk((k) => this.data.makes[k].flatMap((t) => this.readers[t]));
    return found;
  }
}

/* The last part of a name, which tells things of one module apart. */
function shorten(name) {
  const first = name.split(";")[0].split("/").filter(Boolean);
  return first.length ? first[first.length - 1] : name;
}

function follow(hops, lane, end) {
  const count = lane ? Math.min(lane.count, end - lane.row) : 0;
  if (count > 0) hops.push(lane.first, count);
}

/* Strokes that are found by place. */
class Strokes {
  constructor(strokes) {
    this.strokes = strokes;
    if (!strokes.length) return;
    this.tree = new graphics.Flatbush(strokes.length);
    for (const [a, b, c, d] of strokes) this.tree.add(Math.min(a, c), Math.min(b, d), Math.max(a, c), Math.max(b, d));
    this.tree.finish();
  }

  in(area) { return this.tree ? this.tree.search(...area).map((k) => this.strokes[k]) : []; }
}

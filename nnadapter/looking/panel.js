"use strict";
/* What is said of the thing that is chosen; names are text, never markup. */

function make(tag, attributes = {}, ...inner) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "click") node.addEventListener("click", value);
    else node.setAttribute(name, value);
  }
  node.append(...inner);
  return node;
}

function draw(tag, attributes, ...inner) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...inner);
  return node;
}

/* A name that may break behind the parts of its path. */
const breakable = (name) => name.split(/(?<=[/.:])/).flatMap((part) => [part, make("wbr")]);

const number = (value) => value.toLocaleString("en");

class Panel {
  constructor(root, scene, actions) {
    this.root = root;
    this.scene = scene;
    this.actions = actions;
  }

  show(item) {
    this.root.replaceChildren(...(this.scene.isModule(item) ? this.module(item) : this.node(item)));
    this.root.scrollTop = 0;
  }

  link(item, text = this.scene.name(item)) {
    return make("button", { type: "button", class: "link", click: () => this.actions.go(item) }, text);
  }

  crumbs(item) {
    const modules = this.scene.around(item).map((module) => this.link(this.scene.nodes + module));
    return make("p", { class: "crumbs" }, ...modules.flatMap((link) => [link, " / "]).slice(0, -1));
  }

  module(item) {
    const module = item - this.scene.nodes;
    const isOpen = this.scene.open[module];
    const toggle = make("button", { type: "button", class: "strong", click: () => this.actions.toggle(item) }, isOpen ? "Collapse" : "Open");
    const counts = new Map();
    this.scene.data.parents.forEach((parent, node) => {
      let at = parent;
      while (at && at !== module) at = this.scene.data.modules[at][1];
      if (at === module) counts.set(this.scene.kind(node), (counts.get(this.scene.kind(node)) ?? 0) + 1);
    });
    const rows = [...counts].sort((a, b) => b[1] - a[1]).map(([kind, count]) => [kind, number(count)]);
    return [make("p", { class: "kind" }, "module"), make("h2", {}, ...breakable(this.scene.name(item))), this.crumbs(item),
      make("p", { class: "actions" }, toggle), this.result(item), this.section(`${number(this.scene.counts[module])} operations`, this.table(rows))];
  }

  node(node) {
    const { data } = this.scene;
    const kind = this.scene.kind(node);
    const operator = data.operators[kind];
    const path = (direction, text) => make("button", { type: "button", "data-path": direction, click: () => this.actions.trace(node, direction) }, text);
    const found = [make("p", { class: "kind" }, kind), make("h2", {}, ...breakable(data.nodes[node]))];
    found.push(this.crumbs(node));
    found.push(make("p", { class: "actions" }, path("up", "Depends on"), path("down", "Is read by"), path("both", "Whole path")));
    const facts = [];
    if (data.origins[node]) facts.push(["In the source", data.origins[node]]);
    if (data.flops[node] !== null) facts.push(["FLOPs", number(data.flops[node])]);
    found.push(this.result(node));
    if (facts.length) found.push(this.section("", this.table(facts)));
    found.push(this.ends("Inputs", data.reads[node], (place) => this.operand(operator, place), true));
    found.push(this.ends("Outputs", data.makes[node], () => "", false));
    found.push(this.attributes(data.attributeRows[data.attributes[node]], operator));
    found.push(this.documentation(operator));
    return found.filter(Boolean);
  }

  operand({ operands, variadic }, place) {
    if (variadic && place >= operands.length - 1) return `${operands[operands.length - 1]} ${place - operands.length + 2}`;
    return operands[place] ?? "";
  }

  ends(title, tensors, name, isRead) {
    const items = tensors.map((tensor, place) => {
      if (tensor < 0) return null;
      const item = make("li", { class: "tensor" });
      const [called, type] = this.scene.data.tensors[tensor];
      item.append(make("b", {}, name(place) || called || `output ${place}`), " ", make("code", {}, this.scene.data.types[type]));
      if (isRead && called && called !== name(place)) item.append(make("span", { class: "called" }, called));
      item.append(...(isRead ? this.source(tensor) : this.readers(tensor)));
      return item;
    }).filter(Boolean);
    return items.length ? this.section(title, make("ul", {}, ...items)) : null;
  }

  source(tensor) {
    const producer = this.scene.data.producers[tensor];
    if (producer >= 0) return [make("span", { class: "from" }, "from ", this.link(producer))];
    const weight = this.scene.data.weights[tensor];
    return weight === undefined ? [] : [this.weight(weight)];
  }

  readers(tensor) {
    const readers = this.scene.readers[tensor];
    const shown = readers.slice(0, 30).flatMap((reader) => [this.link(reader), " "]);
    if (readers.length > 30) shown.push(`and ${number(readers.length - 30)} more`);
    return readers.length ? [make("span", { class: "from" }, "read by ", ...shown)] : [];
  }

  weight(weight) {
    if (weight.bins === undefined) {
      return make("span", { class: "from" }, weight.odd ? "no element is finite" : "a weight; its numbers were not computed: this page read others first, and its limit is reached");
    }
    const most = Math.max(...weight.bins, 1);
    const bars = weight.bins.map((count, place) => {
      const tall = count ? Math.max(1, 40 * count / most) : 0;
      return draw("rect", { x: place * 8, y: 40 - tall, width: 7, height: tall }, draw("title", {}, number(count)));
    });
    const title = `from ${weight.min} to ${weight.max}, mean ${weight.mean}`;
    const plot = draw("svg", { viewBox: "0 0 256 40", class: "histogram", role: "img", "aria-label": `Histogram ${title}` }, ...bars);
    const said = [`min ${weight.min}`, `mean ${weight.mean}`, `max ${weight.max}`];
    if (weight.zeros) said.push(`${number(weight.zeros)} zeros`);
    if (weight.odd) said.push(`${number(weight.odd)} not finite`);
    return make("span", { class: "weight" }, plot, make("span", { class: "numbers" }, ...said.map((text) => make("span", {}, text))));
  }

  /* What the result that colours the graph says of a thing. */
  result(item) {
    const { heat } = this.scene.data;
    if (!heat) return "";
    const rows = [["Result", heat.texts[item] || "nothing is known"], ...(heat.details[item] ?? [])];
    return this.section(heat.title, this.table(rows));
  }

  /* The name with those of the modules around it, where it does not have them. */
  path(item) {
    const around = this.scene.around(item).map((module) => this.scene.name(this.scene.nodes + module));
    const name = this.scene.name(item);
    return name.includes("/") ? name : [...around, name].join("/");
  }

  /* Where to look first. */
  top() {
    const [title, places] = this.scene.data.heat.top;
    const rows = places.map((item) => make("tr", {}, make("td", {}, this.link(item, this.path(item)), make("span", { class: "called" }, this.scene.kind(item))),
      make("td", { class: "amount" }, this.scene.data.heat.texts[item])));
    return rows.length ? [this.section(title, make("table", {}, make("tbody", {}, ...rows)))] : [];
  }

  attributes(rows, operator) {
    if (!rows.length) return null;
    const ordered = [...rows].sort((a, b) => a[2] - b[2]);
    const cells = ordered.map(([name, value, isDefault]) => make("tr", isDefault ? { class: "default", title: "the default" } : {},
      make("th", { title: operator.meanings?.[name] ?? "" }, name), make("td", {}, value)));
    return this.section("Attributes", make("table", {}, make("tbody", {}, ...cells)));
  }

  documentation({ doc, signature, meanings }) {
    const rows = Object.entries(meanings ?? {});
    const body = [make("pre", { class: "doc" }, doc)];
    if (signature) body.push(make("pre", { class: "signature" }, signature));
    if (rows.length) body.push(this.table(rows));
    return this.section("Documentation", ...body);
  }

  table(rows) {
    return make("table", {}, make("tbody", {}, ...rows.map(([key, value]) => make("tr", {}, make("th", {}, key), make("td", {}, value)))));
  }

  section(title, ...inner) {
    return make("section", {}, ...(title ? [make("h3", {}, title)] : []), ...inner);
  }
}

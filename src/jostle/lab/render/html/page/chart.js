// A chart for each panel: hover, touch or arrow keys read values, a name in the legend hides its line.
const number = (value, digits) => value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
const whole = value => value.toLocaleString("en");
const swatch = curve => ({ borderTopColor: curve.colour, borderTopStyle: curve.dash.length ? "dashed" : "solid" });

function html(parent, tag, text, style) {
  const element = document.createElement(tag);
  if (text) element.textContent = text;
  Object.assign(element.style, style);
  parent.append(element);
  return element;
}
function add(parent, tag, attributes, text) {
  const element = document.createElementNS(parent.namespaceURI, tag);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  parent.append(element);
  return element;
}
function ticks(low, high, count) {
  const rough = (high - low) / count, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map(factor => factor * power).find(step => step >= rough * .9999);
  const found = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-6; i++) found.push(i * step || 0);
  return found;
}
// Places for labels: as near as can be to their lines, never nearer than `gap` to each other.
function spread(places, gap, low, high) {
  const order = places.map((_, i) => i).sort((a, b) => places[a] - places[b]);
  const mean = block => block.reduce((sum, value) => sum + value, 0) / block.length;
  const blocks = [];
  order.forEach((i, rank) => {
    blocks.push([places[i] - rank * gap]);
    while (blocks.length > 1 && mean(blocks.at(-2)) > mean(blocks.at(-1))) {
      const above = blocks.pop();
      blocks.at(-1).push(...above);
    }
  });
  const levels = blocks.flatMap(block => block.map(() => mean(block)));
  const most = Math.max(low, high - gap * (places.length - 1));
  const result = [];
  order.forEach((i, rank) => { result[i] = Math.min(most, Math.max(low, levels[rank])) + rank * gap; });
  return result;
}
// How far the axis reaches, by the rules of curves.py: one line of regret far beyond the others may leave at the top;
// a ratio of rewards begins wild, and its first points do not count.
function range(data, shown) {
  const all = sign => shown.flatMap(curve => curve.mean.map((mean, i) => mean + sign * curve.error[i]).slice(data.settled));
  if (data.chance === null) {
    const tops = shown.map(curve => Math.max(1e-9, ...curve.mean.map((mean, i) => mean + curve.error[i]))).sort((a, b) => b - a);
    return [0, tops.length > 2 && tops[0] > data.far * tops[1] ? 1.15 * tops[1] : 1.04 * tops[0]];
  }
  const low = Math.min(data.chance, ...all(-1)), high = Math.max(data.chance, ...all(1));
  const margin = .04 * (high - low) || .05;
  return [low - margin, high + margin];
}

function panel(figure, data, id) {
  // The svg element is made by the HTML parser, and its children in its own namespace.
  const plot = figure.querySelector(".plot"), legend = figure.querySelector(".legend");
  plot.innerHTML = '<svg tabindex="0" role="img"></svg><div class="reading" hidden></div>';
  const [svg, reading] = plot.children;
  svg.setAttribute("aria-label", `${data.measure} by round on ${data.name}; the table below has the final values`);
  const hidden = new Set(), last = data.rounds.at(-1);
  let view, at = null;

  function draw() {
    const width = plot.clientWidth, roomy = width > 620;
    const height = Math.max(280, Math.min(440, width * .46));
    const shown = data.curves.filter(curve => !hidden.has(curve.name));
    const longest = Math.max(4, ...shown.map(curve => curve.name.length));
    const box = { left: 56, top: 26, bottom: height - 40, right: width - (roomy ? Math.min(300, 40 + 7.2 * longest) : 12) };
    const [low, high] = range(data, shown);
    const x = round => box.left + (box.right - box.left) * round / last;
    const y = value => box.bottom - (box.bottom - box.top) * (value - low) / (high - low);
    svg.replaceChildren();
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.style.height = `${height}px`;
    add(add(svg, "clipPath", { id }), "rect", { x: box.left, y: box.top - 2, width: box.right - box.left, height: box.bottom - box.top + 3 });
    for (const value of ticks(low, high, 5)) {
      add(svg, "line", { class: "grid", x1: box.left, x2: box.right, y1: y(value), y2: y(value) });
      add(svg, "text", { x: box.left - 8, y: y(value) + 4, "text-anchor": "end" }, value.toLocaleString("en", { maximumSignificantDigits: 4 }));
    }
    for (const round of ticks(0, last, roomy ? 6 : 4)) {
      add(svg, "text", { x: x(round), y: box.bottom + 18, "text-anchor": "middle" }, whole(round));
    }
    add(svg, "line", { class: "axis", x1: box.left, x2: box.right, y1: box.bottom, y2: box.bottom });
    add(svg, "text", { x: box.right, y: box.bottom + 35, "text-anchor": "end" }, "round");
    add(svg, "text", { x: 0, y: 11 }, data.measure);
    if (data.chance !== null) add(svg, "line", { class: "axis", x1: box.left, x2: box.right, y1: y(data.chance), y2: y(data.chance) });
    const inner = add(svg, "g", { "clip-path": `url(#${id})` }), back = [...shown].reverse();  // the best on top
    for (const curve of back) {
      const edge = sign => curve.mean.map((mean, i) => `${x(data.rounds[i])},${y(mean + sign * curve.error[i])}`).slice(data.begin);
      const [upper, lower] = [edge(1), edge(-1)];
      add(inner, "polygon", { class: "band", fill: curve.colour, points: upper.concat(lower.reverse()).join(" ") });
    }
    for (const curve of back) {
      const points = curve.mean.map((mean, i) => `${x(data.rounds[i])},${y(mean)}`).slice(data.begin).join(" ");
      add(inner, "polyline", { class: "line", stroke: curve.colour, "stroke-dasharray": curve.dash.map(length => 1.5 * length).join(" "), points });
    }
    if (roomy) name(shown, box, width, y, high);
    reading.className = roomy ? "reading" : "reading below";
    view = { box, x, y, shown, marks: add(svg, "g", {}) };
    unread();
  }
  function name(shown, box, width, y, high) {
    const ends = shown.map(curve => Math.max(box.top, Math.min(box.bottom, y(curve.mean.at(-1)))));
    const places = spread(ends, 17, box.top, box.bottom);
    const most = Math.floor((width - box.right - 30) / 7);
    shown.forEach((curve, i) => {
      add(svg, "path", { d: `M${box.right},${ends[i]} h4 L${box.right + 22},${places[i]}`, stroke: curve.colour, "stroke-width": 1.5, fill: "none" });
      const beyond = curve.mean.at(-1) > high ? ` ↑ ${number(curve.mean.at(-1), 0)}` : "";
      const text = (curve.name.length > most ? curve.name.slice(0, most - 1) + "…" : curve.name) + beyond;
      add(svg, "text", { class: "name", x: box.right + 27, y: places[i] + 4 }, text);
    });
  }
  function read(index) {
    at = Math.max(0, Math.min(data.rounds.length - 1, index));
    const { box, x, y, shown, marks } = view, round = data.rounds[at];
    marks.replaceChildren();
    add(marks, "line", { class: "cursor", x1: x(round), x2: x(round), y1: box.top, y2: box.bottom });
    reading.replaceChildren();
    html(reading, "b", `round ${whole(round)}`);
    const sign = data.chance === null ? 1 : -1;
    for (const curve of [...shown].sort((a, b) => sign * (a.mean[at] - b.mean[at]))) {
      const height = y(curve.mean[at]);
      if (height >= box.top - 2 && height <= box.bottom + 2) add(marks, "circle", { cx: x(round), cy: height, r: 4, fill: curve.colour });
      const row = html(reading, "div");
      html(row, "span", "", swatch(curve)).className = "swatch";
      html(row, "span", curve.name);
      html(row, "span", number(curve.mean[at], data.digits) + (curve.runs > 1 ? ` ± ${number(curve.error[at], data.digits)}` : ""));
    }
    reading.hidden = false;
    const left = x(round) + 14, over = left + reading.offsetWidth > plot.clientWidth;
    reading.style.left = `${over ? Math.max(0, x(round) - 14 - reading.offsetWidth) : left}px`;
    reading.style.top = `${box.top}px`;
  }
  function unread() { at = null; view.marks.replaceChildren(); reading.hidden = true; }
  function follow(event) {
    const { box } = view, inside = event.clientX - svg.getBoundingClientRect().left;
    const round = last * (inside - box.left) / (box.right - box.left);
    let best = 0;
    data.rounds.forEach((each, i) => { if (Math.abs(each - round) < Math.abs(data.rounds[best] - round)) best = i; });
    read(best);
  }
  svg.addEventListener("pointermove", follow);
  svg.addEventListener("pointerdown", follow);
  svg.addEventListener("pointerleave", event => { if (event.pointerType === "mouse") unread(); });
  svg.addEventListener("blur", unread);
  svg.addEventListener("keydown", event => {
    const step = { ArrowLeft: -5, ArrowRight: 5, Home: -Infinity, End: Infinity }[event.key];
    if (event.key === "Escape") unread();
    if (step === undefined) return;
    event.preventDefault();
    read((at ?? data.rounds.length - 1) + step);
  });
  for (const curve of data.curves) {
    const button = html(legend, "button");
    button.type = "button";
    button.title = "Show or hide";
    button.setAttribute("aria-pressed", "true");
    html(button, "span", "", swatch(curve)).className = "swatch";
    html(button, "span", curve.name);
    button.addEventListener("click", () => {
      if (!hidden.delete(curve.name)) hidden.add(curve.name);
      if (hidden.size === data.curves.length) hidden.clear();
      [...legend.children].forEach((each, i) => each.setAttribute("aria-pressed", String(!hidden.has(data.curves[i].name))));
      draw();
    });
  }
  let drawnAt = plot.clientWidth;
  new ResizeObserver(() => { if (plot.clientWidth !== drawnAt) { drawnAt = plot.clientWidth; requestAnimationFrame(draw); } }).observe(plot);
  draw();
}

const panels = JSON.parse(document.getElementById("data").textContent);
document.querySelectorAll("figure.chart").forEach((figure, i) => panel(figure, panels[i], `inside-${i}`));

// One uPlot chart per panel. Hovering or arrow keys read values into the legend, a button of the
// legend hides its curve, dragging zooms in and a double click zooms out.
function drawChart(figure, data) {
  const place = figure.querySelector(".plot"), legend = figure.querySelector(".legend");
  const reading = figure.querySelector(".reading");
  const colour = name => getComputedStyle(figure).getPropertyValue(name).trim();
  // Rounded as Python rounds, so that the legend agrees with the table.
  const decimals = { minimumFractionDigits: data.digits, maximumFractionDigits: data.digits, roundingMode: "halfEven" };
  const number = value => value.toLocaleString("en", decimals);
  const height = () => Math.round(Math.max(280, Math.min(440, .46 * place.clientWidth)));

  // uPlot draws series in order, so the best curve comes last. First the upper edges of all bands,
  // then the lower ones, then the means; `series(i)` is the upper edge of curve i.
  const count = data.curves.length, last = data.rounds.length - 1;
  const drawn = [...data.curves].reverse();
  const series = i => count - i;
  const edges = sign => drawn.map(curve => curve.mean.map((mean, i) => mean + sign * curve.error[i]));
  const values = [data.rounds, ...edges(1), ...edges(-1), ...drawn.map(curve => curve.mean)];
  const edge = { stroke: "transparent", width: 0, points: { show: false } };
  const looks = [{}, ...drawn.map(() => edge), ...drawn.map(() => edge), ...drawn.map(curve => ({
    stroke: curve.colour, width: 2, dash: curve.dash.map(length => 1.5 * length), points: { show: false },
  }))];
  if (data.baseline !== null) {
    values.push(data.rounds.map(() => data.baseline));
    looks.push({ stroke: () => colour("--soft"), width: 1, points: { show: false, stroke: "transparent" } });
  }

  // What the axis holds: all that the visible curves need, except those that leave the frame.
  // Python decides what each curve needs and whether it leaves.
  function limits(plot) {
    const visible = data.curves.filter((_, i) => plot.series[series(i)].show);
    const staying = visible.filter(curve => !curve.leaves);
    const held = staying.length ? staying : visible;
    return [Math.min(...held.map(curve => curve.low)), Math.max(...held.map(curve => curve.high))];
  }

  const entries = data.curves.map((curve, i) => {
    const button = document.createElement("button");
    const [swatch, name, value] = ["swatch", "name", "value"].map(kind => {
      const part = document.createElement("span");
      part.className = kind;
      return part;
    });
    swatch.style.borderTop = `3px ${curve.dash.length ? "dashed" : "solid"} ${curve.colour}`;
    button.type = "button";
    button.title = "Show or hide";
    button.append(swatch, name, value);
    button.addEventListener("click", () => toggle(i));
    legend.append(button);
    return { curve, button, name, value };
  });

  const axis = {
    stroke: () => colour("--soft"), font: "12px system-ui, sans-serif", labelFont: "12px system-ui, sans-serif",
    labelSize: 20, ticks: { show: false }, values: (_, ticks) => ticks.map(tick => tick.toLocaleString("en")),
  };
  const plot = new uPlot({
    width: place.clientWidth,
    height: height(),
    series: looks,
    bands: drawn.map((curve, i) => ({ series: [i + 1, count + i + 1], fill: curve.colour + "2e" })),
    scales: {
      x: { time: false, range: (_, low, high) => low === data.rounds[0] && high === data.rounds[last] ? [0, high] : [low, high] },
      y: { range: limits },
    },
    axes: [
      { ...axis, label: "round", size: 30, grid: { show: false } },
      { ...axis, size: 60, grid: { stroke: () => colour("--rule"), width: 1 } },
    ],
    cursor: { y: false },
    legend: { show: false },
    hooks: { setCursor: [read] },
  }, values, place);
  figure.chart = plot;

  function toggle(index) {
    const visible = entries.map((_, i) => plot.series[series(i)].show !== (i === index));
    const none = !visible.includes(true);  // hiding the last curve shows all of them again
    plot.batch(() => visible.forEach((shown, i) => {
      for (const offset of [0, count, 2 * count]) plot.setSeries(series(i) + offset, { show: none || shown });
    }));
    label();
  }
  function label() {
    const [, high] = limits(plot);
    entries.forEach(({ curve, button, name }, i) => {
      const visible = plot.series[series(i)].show;
      button.setAttribute("aria-pressed", String(visible));
      name.textContent = visible && curve.mean[last] > high ? curve.name_beyond_frame : curve.name;
    });
  }
  function read(plot) {
    const at = plot.cursor.idx ?? last;
    reading.textContent = `round ${data.rounds[at].toLocaleString("en")}`;
    for (const { curve, value } of entries) {
      value.textContent = number(curve.mean[at]) + (curve.several_runs ? ` ± ${number(curve.error[at])}` : "");
    }
  }
  function leave() { plot.setCursor({ left: -10, top: -10 }); }

  figure.querySelector(".measure").textContent = data.measure;
  place.setAttribute("aria-label", `${data.measure} by round on ${data.name}; the table below has the final values`);
  place.addEventListener("blur", leave);
  place.addEventListener("keydown", event => {
    const step = { ArrowLeft: -5, ArrowRight: 5, Home: -Infinity, End: Infinity }[event.key];
    if (event.key === "Escape") leave();
    if (step === undefined) return;
    event.preventDefault();
    const at = Math.max(0, Math.min(last, (plot.cursor.idx ?? last) + step));
    plot.setCursor({ left: plot.valToPos(data.rounds[at], "x"), top: 0 });
  });
  new ResizeObserver(() => {
    if (place.clientWidth !== plot.width) plot.setSize({ width: place.clientWidth, height: height() });
  }).observe(place);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => plot.redraw());
  label();
  read(plot);
}

const panels = JSON.parse(document.getElementById("data").textContent);
document.querySelectorAll("figure.chart").forEach((figure, i) => drawChart(figure, panels[i]));

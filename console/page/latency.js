// Latency histograms: of each event loop, and of a session.

import { count, el, nanos, setText, svg } from "./dom.js";
import { ask } from "./live.js";

const kWidth = 600;
const kHeight = 150;
const kRefresh = 3000;

export const kHistograms = [
  ["wire_to_callback", "From wire to callback (ReceiveTimestamps)"],
  ["receive_to_callback", "From receive to callback"],
  ["callback_to_sent", "From callback to sent"],
  ["receive_to_sent", "From receive to sent"],
  ["test_request_round_trip", "TestRequest round trip"],
];

// The axis is logarithmic: durations differ by powers of ten.
function histogramChart(title, histogram) {
  const { buckets, percentiles } = histogram;
  const figures = el("div", { class: "percentiles" },
    el("span", {}, `${count(histogram.count)} measured`),
    ...Object.entries(percentiles).map(([name, value]) => el("span", {}, `${name} `, el("b", {}, nanos(value)))));
  const section = el("section", { class: "panel" }, el("h2", {}, title));
  if (buckets.length === 0) {
    section.append(el("p", { class: "faint" }, "Nothing was measured yet."));
    return section;
  }
  const log = (value) => Math.log10(Math.max(1, value));
  const low = Math.floor(log(buckets[0][0]));
  const high = Math.max(low + 1, Math.ceil(log(buckets.at(-1)[1])));
  const x = (value) => (Math.max(log(value), low) - low) / (high - low) * kWidth;
  const most = Math.max(...buckets.map((bucket) => bucket[2]));
  const chart = svg("svg", { class: "histogram", viewBox: `0 0 ${kWidth} ${kHeight}`, role: "img" },
    svg("title", {}, `${title}: ${Object.entries(percentiles).map(([name, value]) => `${name} ${nanos(value)}`).join(", ")}`));
  for (const [from, to, number] of buckets) {
    const height = Math.max(1, number / most * (kHeight - 28));
    chart.append(svg("rect", { x: x(from), width: Math.max(1.5, x(to) - x(from) - 0.5), y: kHeight - 18 - height, height }));
  }
  chart.append(svg("line", { class: "axis", x1: 0, x2: kWidth, y1: kHeight - 18, y2: kHeight - 18 }));
  for (let power = low; power <= high; ++power) {
    const anchor = power === low ? "start" : power === high ? "end" : "middle";
    chart.append(svg("text", { x: x(10 ** power), y: kHeight - 4, "text-anchor": anchor }, nanos(10 ** power)));
  }
  section.append(chart, figures);
  return section;
}

export function charts(source, names = kHistograms) {
  return names.filter(([key]) => source[key]).map(([key, title]) => histogramChart(title, source[key]));
}

// Asks for new figures while the view is shown.
export function refreshed(path, show, fail) {
  let timer = null;
  const load = () => ask(path).then(show, fail).finally(() => {
    if (timer !== false) timer = setTimeout(load, kRefresh);
  });
  load();
  return () => {
    clearTimeout(timer);
    timer = false;
  };
}

export function latencyView() {
  const body = el("div");
  const note = el("p", { class: "faint" }, "Since the start of the engine. Each figure is within 6.25 %.");
  const end = refreshed("/api/figures", ({ loops }) => {
    body.replaceChildren(...loops.flatMap((loop) => [
      loops.length > 1 ? el("h2", {}, `Event loop ${loop.index}`) : "",
      el("div", { class: "charts" }, ...charts(loop)),
    ]));
  }, (error) => setText(note, error.message));
  return { node: el("div", {}, note, body), title: "Latency", on: {}, end };
}

// Elements, and figures as people read them. Text goes only through textContent: what a
// counterparty sends is never markup.

export function el(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  fill(made, attributes, children);
  return made;
}

export function svg(name, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  fill(made, attributes, children);
  return made;
}

function fill(made, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value === true) made.setAttribute(key, "");
    else if (value !== false && value != null) made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child != null));
}

// A text of the engine: a line never breaks within NXF-1042 and ->, and `this` is shown as code.
export function prose(text) {
  return text.split(/(NXF-\d+|->|`[^`]+`)/).map((part, at) => {
    if (at % 2 === 0) return part;
    if (part.startsWith("`")) return el("code", {}, part.slice(1, -1));
    const whole = el("span", { class: "whole" }, part);
    return part === "->" ? [whole, el("wbr")] : whole;
  }).flat();
}

// Changes the text only if it differs, so that a screen reader and a selection are left alone.
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

export function announce(text) {
  document.getElementById("announcer").textContent = text;
}

const two = (number) => String(number).padStart(2, "0");

export function clock(millis) {
  const at = new Date(millis);
  return `${two(at.getUTCHours())}:${two(at.getUTCMinutes())}:${two(at.getUTCSeconds())}`;
}

// Today: the time only.
export function when(millis, now = Date.now()) {
  if (millis == null) return "–";
  const day = (time) => new Date(time).toISOString().slice(0, 10);
  return day(millis) === day(now) ? clock(millis) : `${day(millis)} ${clock(millis)}`;
}

export function duration(millis) {
  const seconds = Math.max(0, Math.floor(millis / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86400) return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
  return `${Math.floor(seconds / 86400)} d ${Math.floor((seconds % 86400) / 3600)} h`;
}

export const count = (number) => number.toLocaleString("en-GB");

export function rate(perSecond) {
  if (perSecond === 0) return "0";
  if (perSecond < 10) return perSecond.toFixed(1);
  return perSecond < 100000 ? count(Math.round(perSecond)) : `${Math.round(perSecond / 1000)}k`;
}

export function bytes(number) {
  if (number < 1024) return `${number} B`;
  if (number < 1024 ** 2) return `${(number / 1024).toFixed(1)} KiB`;
  return `${(number / 1024 ** 2).toFixed(1)} MiB`;
}

export function nanos(number) {
  if (number === 0) return "–";
  if (number < 1000) return `${number} ns`;
  if (number < 1e6) return `${(number / 1e3).toPrecision(3)} µs`;
  if (number < 1e9) return `${(number / 1e6).toPrecision(3)} ms`;
  return `${(number / 1e9).toPrecision(3)} s`;
}

// Two lines of the last minute.
export class Sparkline {
  constructor() {
    this.in = svg("polyline", { class: "in-line" });
    this.out = svg("polyline", { class: "out-line" });
    this.node = svg("svg", {
      class: "spark", viewBox: "0 0 60 20", preserveAspectRatio: "none", "aria-hidden": "true",
    }, this.in, this.out);
  }

  draw(received, sent) {
    const highest = Math.max(1, ...received, ...sent);
    const points = (values) => values
      .map((value, at) => `${60 - values.length + at},${(19 - 18 * value / highest).toFixed(1)}`)
      .join(" ");
    this.in.setAttribute("points", points(received));
    this.out.setAttribute("points", points(sent));
  }
}

export function stateBadge(state, isExpected) {
  return el("span", { class: `state ${stateClass(state, isExpected)}` }, state);
}

export function stateClass(state, isExpected) {
  if (state === "logged on") return "good";
  if (state === "halted" || state === "store failed") return "bad";
  if (isExpected || state === "disabled") return "warn";
  return "";
}

// "3 failed Logons"; empty: the session is logged on, or none has failed since it was.
export function failuresText(session) {
  const failures = session.state === "logged on" ? 0 : session.failures_in_a_row;
  return failures === 0 ? "" : `${failures} failed Logon${failures === 1 ? "" : "s"}`;
}

export const needsAttention = (session) => failuresText(session) !== ""
  || ["warn", "bad"].includes(stateClass(session.state, session.is_expected));

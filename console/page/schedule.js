// When each session is open: yesterday, today and the next six days.

import { el, setText, svg, when } from "./dom.js";
import { ask } from "./live.js";
import { sessionLink } from "./sessions.js";

const kWidth = 1000;
const kDay = 86400000;

export function scheduleView() {
  const chart = el("div", { class: "timeline", id: "timeline" });
  const note = el("p", { class: "faint" }, "Loading…");
  const node = el("div", {}, el("section", { class: "panel" }, el("h2", {}, "Schedule (UTC)"), note, chart));

  ask("/api/schedule").then((schedule) => draw(schedule), (error) => setText(note, error.message));

  function draw({ begin, end, now, sessions }) {
    setText(note, "Green: the session is open. Amber: it is open, and takes no Logon. The line is now.");
    const x = (time) => (time - begin) / (end - begin) * kWidth;
    const rows = sessions.flatMap((session) => row(session, x, now));
    chart.replaceChildren(el("span"), dayLabels(begin, end), ...rows);
  }

  function dayLabels(begin, end) {
    const labels = svg("svg", { class: "axis", viewBox: "0 0 1000 20", "aria-hidden": "true" });
    for (let day = begin; day < end; day += kDay) {
      const at = (day - begin) / (end - begin) * kWidth;
      labels.append(svg("text", { x: at + 2, y: 14 }, new Date(day).toUTCString().slice(0, 11)));
    }
    return labels;
  }

  function row(session, x, now) {
    const bar = svg("svg", { viewBox: `0 0 ${kWidth} 24`, preserveAspectRatio: "none", role: "img" });
    bar.append(svg("rect", { class: "track", x: 0, y: 4, width: kWidth, height: 16 }));
    const spans = session.is_non_stop ? [{ begin: -Infinity, end: Infinity, may_log_on: true }] : session.spans;
    for (const span of spans) {
      const left = Math.max(0, x(span.begin));
      const width = Math.min(kWidth, x(span.end)) - left;
      bar.append(svg("rect", { class: span.may_log_on ? "open" : "closed-logon", x: left, y: 4, width, height: 16 }));
    }
    bar.append(svg("line", { class: "now", x1: x(now), x2: x(now), y1: 0, y2: 24 }));
    const words = session.is_non_stop ? "always open" : session.spans.length === 0 ? "not open in these days"
      : session.spans.map((span) => `open from ${when(span.begin)} until ${when(span.end)}`).join("; ");
    bar.append(svg("title", {}, `${session.name}: ${words}`));
    return [el("span", { class: "name" }, el("a", { href: sessionLink(session.name) }, session.name)), bar];
  }

  return { node, title: "Schedule", on: {} };
}

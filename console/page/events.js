// The event log: the newest events of this run.

import { el, prose, setText, when } from "./dom.js";
import { store } from "./live.js";
import { sessionLink } from "./sessions.js";

const kShownMax = 300;
const kRanks = { info: 0, warning: 1, error: 2 };

export function eventRow(event) {
  return el("tr", { class: `event-row ${event.severity}` },
    el("td", { class: "whole" }, when(event.time)),
    el("td", {}, event.severity),
    el("td", { class: "mono whole", title: event.meaning }, event.id),
    el("td", { class: "wide" }, event.session ? el("a", { href: sessionLink(event.session) }, ...prose(event.session)) : "engine"),
    el("td", { class: "wide" }, el("div", {}, ...prose(event.text)),
      event.severity === "info" ? null : el("div", { class: "sub" }, ...prose(event.action))));
}

export function eventTable(body, caption) {
  return el("div", { class: "panel flush" }, el("table", { class: "cards event-cards", id: "events" }, caption,
    el("thead", {}, el("tr", {}, ...["Time (UTC)", "Severity", "Event", "Session", "What happened"]
      .map((text) => el("th", { scope: "col" }, text)))), body));
}

export function eventsView() {
  const body = el("tbody");
  const caption = el("caption");
  const filter = el("input", { type: "search", id: "filter", oninput: show, autocomplete: "off" });
  const least = el("select", { id: "least", onchange: show },
    el("option", { value: "info" }, "all"), el("option", { value: "warning" }, "warnings and errors"),
    el("option", { value: "error" }, "errors"));
  const node = el("div", {},
    el("div", { class: "row" },
      el("label", { for: "filter" }, "Filter"), el("div", { class: "grow" }, filter),
      el("label", { for: "least" }, "Show"), least),
    eventTable(body, caption));

  function show() {
    const words = filter.value.trim().toLowerCase();
    const wanted = store.events.filter((event) => kRanks[event.severity] >= kRanks[least.value]
      && `${event.id} ${event.session} ${event.text}`.toLowerCase().includes(words));
    const shown = wanted.slice(-kShownMax).reverse();
    setText(caption, `${shown.length} of ${store.events.length} events, the newest first. `
      + "FileLogPath has all of them.");
    body.replaceChildren(...shown.map(eventRow));
  }

  show();
  return { node, title: "Events", on: { events: show } };
}

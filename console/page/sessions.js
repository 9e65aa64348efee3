// All sessions, with their figures of this second.

import {
  bytes, count, el, failuresText, nanos, needsAttention, prose, rate, setText, Sparkline, stateBadge, when,
} from "./dom.js";
import { ratesOf, store } from "./live.js";

const kRowsMax = 300;

const sum = (values) => values.reduce((all, one) => all + one, 0);

export function sessionLink(name, tab = "messages") {
  return `#/session/${encodeURIComponent(name)}/${tab}`;
}

function tile(term, explanation) {
  const value = el("dd");
  return { node: el("div", { class: "tile" }, el("dt", {}, term), value, el("dd", { class: "why" }, explanation)), value };
}

// The engines of the shard, in a cluster; for whom a standby waits.
class ClusterPanel {
  constructor() {
    this.text = el("p");
    this.body = el("tbody");
    this.table = el("table", { class: "cards", id: "cluster" }, el("thead", {}, el("tr", {},
      ...["Node", "State", "Engine"].map((text) => el("th", { scope: "col" }, text)))), this.body);
    this.node = el("div", { class: "panel", hidden: true }, this.text, this.table);
  }

  show({ cluster, standby, taken_at: now }) {
    this.node.hidden = !cluster && !standby;
    this.table.hidden = !cluster;
    const waits = standby && (!standby.is_connected ? "A standby without a connection to the database."
      : `A standby, which waits for ${standby.owner || "the log"}; the application lacks ${bytes(standby.lag_bytes)} of the log.`);
    const place = cluster && `Node ${cluster.node} ${cluster.is_owner ? "has" : "waits for"} shard ${cluster.shard} of cluster ${cluster.name}`
      + `${cluster.is_owner ? `, fencing token ${cluster.token || "none"}` : `; owner: ${cluster.owner || "none"}`}`
      + `${cluster.renewed_at ? `; the lease was renewed ${now - cluster.renewed_at} ms ago` : "; no lease"}`
      + `${cluster.is_handing_over ? "; it hands the shard over" : ""}.`;
    setText(this.text, [place, waits].filter(Boolean).join(" "));
    this.node.classList.toggle("bad", Boolean(cluster && !cluster.renewed_at));
    const rows = (cluster?.engines ?? []).map((one) => [one.node, one.state + (one.is_drained ? ", drained" : ""),
      `${one.process ? `process ${one.process}` : "no process"} on ${one.host}${one.refusal && `: ${one.refusal}`}`]);
    const shown = JSON.stringify(rows);
    if (this.shown === shown) return;
    this.shown = shown;
    this.body.replaceChildren(...rows.map((cells) => el("tr", {}, ...cells.map((text, at) =>
      el("td", { "data-label": ["Node", "State", "Engine"][at] }, text)))));
  }
}

class Row {
  constructor(session) {
    this.spark = new Sparkline();
    this.state = el("td", { "data-label": "State" });
    this.cells = {};
    const cell = (key, label) => (this.cells[key] = el("td", { class: "number", "data-label": label }));
    this.since = el("td", { "data-label": "Since (UTC)" });
    this.node = el("tr", {},
      el("td", { class: "wide" },
        el("a", { href: sessionLink(session.name) }, ...prose(session.name)),
        el("div", { class: "sub" }, session.is_initiator ? "initiator" : "acceptor")),
      this.state, this.since,
      cell("nextIn", "Next in"), cell("nextOut", "Next out"),
      cell("rateIn", "In / s"), cell("rateOut", "Out / s"),
      el("td", { class: "wide" }, this.spark.node),
      cell("p99", "P99"), cell("unsent", "Unsent"));
  }

  show(session) {
    const failures = failuresText(session);
    const shown = session.state + session.is_expected + failures + session.why;
    if (this.shown !== shown) {
      this.shown = shown;
      this.state.title = session.why;
      this.state.replaceChildren(stateBadge(session.state, session.is_expected || failures !== ""),
        ...(failures ? [el("div", { class: "sub whole" }, failures)] : []));
    }
    const rates = ratesOf(session.name);
    setText(this.since, when(session.since));
    setText(this.cells.nextIn, count(session.in.next));
    setText(this.cells.nextOut, count(session.out.next));
    setText(this.cells.rateIn, rate(rates.in.at(-1) ?? 0));
    setText(this.cells.rateOut, rate(rates.out.at(-1) ?? 0));
    setText(this.cells.p99, nanos(session.p99_ns));
    setText(this.cells.unsent, session.unsent_bytes === 0 ? "–" : bytes(session.unsent_bytes));
    this.spark.draw(rates.in, rates.out);
  }
}

export function sessionsView() {
  const tiles = {
    on: tile("Logged on", "sessions that can trade now"),
    trouble: tile("Need attention", "off although they should be on, halted or disabled, or with failed Logons"),
    rate: tile("Messages / s, in / out", "of all sessions, in the last second"),
    store: tile("Store", "where each message is recorded before it is sent"),
    late: tile("Late turns", "an event loop ran a timer more than 10 ms late; since the start"),
    unsent: tile("Unsent", "bytes that counterparties have not read yet"),
  };
  const cluster = new ClusterPanel();
  const body = el("tbody");
  const caption = el("caption");
  const filter = el("input", { type: "search", id: "filter", oninput: () => show(), autocomplete: "off" });
  const only = el("input", { type: "checkbox", id: "only", onchange: () => show() });
  const heads = [["Session"], ["State"], ["Since (UTC)"], ["Next in", 1], ["Next out", 1], ["In / s", 1],
    ["Out / s", 1], ["Last minute"], ["P99", 1], ["Unsent", 1]];
  const node = el("div", {},
    el("dl", { class: "tiles", "aria-label": "The engine at a glance" },
      ...Object.values(tiles).map((one) => one.node)),
    cluster.node,
    el("div", { class: "row" },
      el("label", { for: "filter" }, "Filter"), el("div", { class: "grow" }, filter),
      el("label", {}, only, " only those that need attention"),
      el("span", { class: "legend faint end" }, el("span", { class: "in" }, "in"), el("span", { class: "out" }, "out"))),
    el("div", { class: "panel flush" },
      el("table", { class: "cards", id: "sessions" }, caption,
        el("thead", {}, el("tr", {}, ...heads.map(([text, isNumber]) =>
          el("th", { scope: "col", class: isNumber ? "number" : null }, text)))),
        body)));
  const rows = new Map();

  function showTiles(sessions, loops) {
    const trouble = sessions.filter(needsAttention).length;
    const latest = (way) => sum(sessions.map((one) => ratesOf(one.name)[way].at(-1) ?? 0));
    const stores = loops.filter((loop) => loop.store !== "ok");
    setText(tiles.on.value, `${sessions.filter((one) => one.state === "logged on").length} of ${sessions.length}`);
    setText(tiles.trouble.value, count(trouble));
    tiles.trouble.node.classList.toggle("bad", trouble > 0);
    setText(tiles.rate.value, `${rate(latest("in"))} / ${rate(latest("out"))}`);
    setText(tiles.store.value, stores.length === 0 ? "ok" : stores[0].store);
    tiles.store.node.classList.toggle("bad", stores.length > 0);
    setText(tiles.late.value, count(sum(loops.map((loop) => loop.late_turns))));
    setText(tiles.unsent.value, bytes(sum(sessions.map((one) => one.unsent_bytes))));
  }

  function show() {
    if (!store.state) return;
    const { sessions, loops } = store.state;
    showTiles(sessions, loops);
    cluster.show(store.state);
    const words = filter.value.trim().toLowerCase();
    const wanted = sessions.filter((one) => (!only.checked || needsAttention(one))
      && (one.name.toLowerCase().includes(words) || one.state.includes(words)));
    const shown = wanted.slice(0, kRowsMax);
    setText(caption, shown.length === sessions.length ? `${sessions.length} sessions`
      : `${shown.length} of ${sessions.length} sessions`);
    const nodes = shown.map((session) => {
      if (!rows.has(session.name)) rows.set(session.name, new Row(session));
      const row = rows.get(session.name);
      row.show(session);
      return row.node;
    });
    if (nodes.length !== body.children.length || nodes.some((one, at) => body.children[at] !== one)) {
      body.replaceChildren(...nodes);
    }
  }

  show();
  return { node, title: "Sessions", on: { state: show } };
}

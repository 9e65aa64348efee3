// One session: its messages, events, figures and configuration.

import { mayAct, sessionActs } from "./acts.js";
import { bytes, count, duration, el, failuresText, prose, rate, setText, stateBadge, when } from "./dom.js";
import { eventRow, eventTable } from "./events.js";
import { charts, refreshed } from "./latency.js";
import { ask, ratesOf, store } from "./live.js";
import { sessionLink } from "./sessions.js";

const kTabs = [["messages", "Messages"], ["events", "Events"], ["figures", "Figures"], ["configuration", "Configuration"]];
const kLiveMax = 500;

const find = (name) => store.state?.sessions.find((one) => one.name === name);

function messageRow(message) {
  const ways = { in: "received", out: "sent", garbled: "garbled" };
  const row = el("details", { class: "message", ontoggle: () => {
    if (row.open && row.children.length === 1) row.append(messageBody(message));
  } },
  el("summary", {},
    el("span", { class: "when mono" }, message.time ? when(message.time) : message.sent_at),
    el("span", { class: `way ${message.direction}` }, ways[message.direction]),
    el("span", { class: "what" }, `${message.number ? `${message.number}  ` : ""}${message.name || message.type || "no message"}`),
    el("span", { class: "raw mono" }, message.text)));
  return row;
}

function messageBody(message) {
  const rows = message.fields.map(([tag, name, value, meaning]) => el("tr", {},
    el("td", { class: "mono number" }, tag), el("td", {}, name),
    el("td", { class: "mono" }, value), el("td", { class: "faint" }, meaning)));
  return el("div", { class: "body" },
    el("table", {}, el("thead", {}, el("tr", {}, ...["Tag", "Field", "Value", "Meaning"].map((text) =>
      el("th", { scope: "col" }, text)))), el("tbody", {}, ...rows)),
    el("p", { class: "mono" }, message.text));
}

function messagesTab(name) {
  const hasJournal = store.overview.has_journal;
  const live = [];
  let waiting = [];  // while the list stands still
  let leftOut = 0;
  let before = 0;
  const list = el("div", { class: "panel flush", id: "messages" });
  const note = el("p", { class: "faint" });
  const text = el("input", { type: "search", id: "message-text", autocomplete: "off" });
  const source = el("select", { id: "message-source", onchange: () => begin() },
    el("option", { value: "live" }, "live, both directions"),
    hasJournal ? el("option", { value: "stored" }, "stored, sent") : null,
    hasJournal ? el("option", { value: "both" }, "stored, both directions") : null);
  const paused = el("input", { type: "checkbox", id: "paused", onchange: () => showLive([]) });
  const more = el("button", { type: "button", hidden: true, onclick: () => load() }, "Older messages");
  const form = el("form", { class: "row", onsubmit: (event) => { event.preventDefault(); begin(); } },
    el("label", { for: "message-source" }, "Show"), source,
    el("label", { for: "message-text" }, "that contain"), el("div", { class: "grow" }, text),
    el("button", {}, "Search"),
    el("label", {}, paused, " pause"));

  function begin() {
    before = 0;
    waiting = [];
    list.replaceChildren();
    more.hidden = true;
    if (source.value === "live") showLive(live);
    else load();
  }

  // The list stands still while a message is open, so that it can be read.
  function showLive(messages) {
    waiting.push(...messages.filter((message) => message.text.includes(text.value)));
    waiting.splice(0, Math.max(0, waiting.length - kLiveMax));
    const isHeld = paused.checked || list.querySelector("[open]") !== null;
    if (!isHeld) {
      list.prepend(...waiting.map(messageRow).reverse());
      while (list.children.length > kLiveMax) list.lastChild.remove();
      waiting = [];
    }
    setText(note, waiting.length > 0 ? `${count(waiting.length)} newer messages wait: close the open message, or end the pause.`
      : "New messages appear here as they are sent and received. Search shows only those that contain a text, such as 11=ORD-5."
        + (leftOut > 0 ? ` ${count(leftOut)} were left out: they came too fast.` : ""));
  }

  async function load() {
    more.disabled = true;
    setText(note, "Reading the journal…");
    try {
      const query = new URLSearchParams({ session: name, text: text.value });
      if (source.value === "both") query.set("direction", "both");
      if (before > 0) query.set("before", before);
      const page = await ask(`/api/messages?${query}`);
      list.append(...page.messages.map(messageRow));
      before = page.before;
      setText(note, `${list.children.length} messages, the newest first.`
        + (before > 0 ? " There are older ones." : " There are no older ones.")
        + (source.value === "both" ? " The journal has received messages with JournalInbound=Y." : ""));
    } catch (error) {
      setText(note, error.message);
    }
    more.disabled = false;
    more.hidden = before === 0;
  }

  begin();
  return {
    node: el("div", {}, form, note, list, el("p", {}, more)),
    on: {
      refused: (why) => setText(note, why),
      messages: (data) => {
        leftOut += data.left_out;
        live.push(...data.messages);
        live.splice(0, Math.max(0, live.length - kLiveMax));
        if (source.value === "live") showLive(data.messages);
      },
    },
    follows: true,
  };
}

function eventsTab(name) {
  const body = el("tbody");
  const caption = el("caption");
  function show() {
    const events = store.events.filter((event) => event.session === name).reverse();
    setText(caption, `${events.length} events of this session, the newest first.`);
    body.replaceChildren(...events.map(eventRow));
  }
  show();
  return { node: eventTable(body, caption), on: { events: show } };
}

function countsTable(caption, rows) {
  return el("section", { class: "panel flush" }, el("table", {}, el("caption", {}, caption),
    el("tbody", {}, ...rows.map(([name, number]) =>
      el("tr", {}, el("th", { scope: "row" }, name), el("td", { class: "number" }, count(number)))))));
}

function figuresTab(name) {
  const body = el("div", {}, el("p", { class: "faint" }, "Loading…"));
  const end = refreshed(`/api/figures?${new URLSearchParams({ session: name })}`, ({ session }) => {
    const now = find(name);
    if (!session || !now) return;
    const types = (way) => session[way].types.map((one) => [`MsgType ${one.msg_type}`, one.count]);
    const rejects = (way) => session[way].rejects.map((one) =>
      [`${one.is_business ? "BusinessMessageReject" : "Reject"}, reason ${one.reason ?? "none"}`, one.count]);
    body.replaceChildren(
      el("div", { class: "charts" }, ...charts(session)),
      el("div", { class: "charts" },
        countsTable("Received", [["messages", now.in.messages], ["ResendRequests", now.in.resend_requests], ...types("in"), ...rejects("in")]),
        countsTable("Sent", [["messages", now.out.messages], ["ResendRequests", now.out.resend_requests], ["resent", now.resent], ...types("out"), ...rejects("out")]),
        countsTable("Session", [["Logons", now.logons], ["failed Logons", now.logon_failures], ["failed connects", now.connect_failures],
          ["disconnects", now.disconnects], ["gaps", now.gaps], ["garbled messages", now.garbled]])));
  }, (error) => body.replaceChildren(el("p", { class: "notice" }, error.message)));
  return { node: body, on: {}, end };
}

function configurationTab(name) {
  const node = el("div", {}, el("p", { class: "faint" }, "Loading…"));
  ask(`/api/configuration?${new URLSearchParams({ session: name })}`).then((found) => {
    const all = el("input", { type: "checkbox", onchange: show });
    const body = el("tbody");
    function origin(value) {
      if (value.because) return `because of ${value.because}`;
      if (value.line === 0) return "default";
      return `line ${value.line}${value.is_of_default ? ", [DEFAULT]" : ""}`;
    }
    function show() {
      const values = found.values.filter((one) => all.checked || one.line > 0 || one.because);
      body.replaceChildren(...values.map((one) => el("tr", {},
        el("th", { scope: "row" }, one.key),
        el("td", { class: "mono wide", "data-label": "Value" }, one.written ? `${one.value} (${one.written})` : one.value),
        el("td", { "data-label": "From" }, origin(one)),
        el("td", { class: "wide faint", "data-label": "Sets" }, ...prose(one.meaning)),
        el("td", { class: "faint", "data-label": "A change applies" }, one.takes_effect))));
    }
    show();
    node.replaceChildren(
      ...found.warnings.map((text) => el("p", { class: "notice" }, ...prose(text))),
      el("div", { class: "row" }, el("span", { class: "faint" }, `${found.file}, [SESSION] in line ${found.line}: as the file is now.`),
        el("label", { class: "end" }, all, " defaults, too")),
      el("div", { class: "panel flush" }, el("table", { class: "cards", id: "configuration" },
        el("thead", {}, el("tr", {}, ...["Key", "Value", "From", "Sets", "A change applies"].map((text) =>
          el("th", { scope: "col" }, text)))), body)));
  }, (error) => node.replaceChildren(el("p", { class: "notice" }, error.message)));
  return { node, on: {} };
}

const kViews = { messages: messagesTab, events: eventsTab, figures: figuresTab, configuration: configurationTab };

export function sessionView(name, tab) {
  const shown = kViews[tab](name);
  const badge = el("span");
  const line = el("p", { class: "faint" });
  const acts = mayAct() ? sessionActs(name) : null;
  const failed = el("p", { class: "notice", hidden: true });
  let shownState = null;
  const node = el("div", {},
    el("div", { class: "row" }, el("h1", {}, ...prose(name)), badge),
    line, failed, acts?.node,
    el("nav", { class: "tabs", "aria-label": "Of this session" }, ...kTabs.map(([key, label]) =>
      el("a", { href: sessionLink(name, key), "aria-current": key === tab ? "page" : null }, label))),
    shown.node);

  function show() {
    if (!store.state) return;
    const session = find(name);
    if (!session) {
      badge.replaceChildren();
      shownState = null;
      acts?.show(null);
      setText(line, "The engine has no such session.");
      return;
    }
    const failures = failuresText(session);
    if (shownState !== session.state + failures) {
      shownState = session.state + failures;
      badge.replaceChildren(stateBadge(session.state, session.is_expected || failures !== ""));
    }
    acts?.show(session);
    failed.hidden = failures === "";
    const why = session.why || "Its events say why.";
    setText(failed, `${failures} since the session was last logged on: ${why}`);
    const rates = ratesOf(name);
    setText(line, `${session.is_initiator ? "Initiator" : "Acceptor"}, for ${duration(store.state.taken_at - session.since)}. `
      + `Next MsgSeqNum in ${count(session.in.next)}, out ${count(session.out.next)}. `
      + `${rate(rates.in.at(-1) ?? 0)} / ${rate(rates.out.at(-1) ?? 0)} messages a second in and out. `
      + `Last received ${when(session.in.last_at)} UTC. Unsent ${bytes(session.unsent_bytes)}.`);
  }

  show();
  return {
    node, title: name, follows: shown.follows ? name : null, end: shown.end,
    on: { ...shown.on, state: show },
  };
}

// What an operator does: each act is confirmed with a reason, which the engine records.

import { announce, el, prose } from "./dom.js";
import { post, store } from "./live.js";

const kConnected = ["connecting", "logged on", "logging on", "logging out"];
const isConnected = (session) => kConnected.includes(session.state);

// By what they can harm, the harmless first. obstacle: why the engine would refuse it now.
const kSessionActs = [
  ["Session", [
    { act: "log-on", label: "Log on", help: "Connects, if the session is an initiator that was logged out.",
      obstacle: (one) => !one.is_initiator ? "Its counterparty logs on: the session is an acceptor." : one.state === "disabled" ? "The session is disabled: enable it first." : "" },
    { act: "test-request", label: "TestRequest", help: "Sends a TestRequest: the counterparty must answer.",
      obstacle: (one) => one.state === "logged on" ? "" : "The session is not logged on." },
    { act: "enable", label: "Enable", help: "The session may log on again.",
      obstacle: (one) => one.state === "disabled" ? "" : "The session is not disabled." },
  ]],
  ["Ends the connection", [
    { act: "log-out", label: "Log out", help: "Sends a Logout, and then disconnects.", text: true, danger: true,
      obstacle: (one) => one.is_initiator || isConnected(one) ? "" : "The session is not connected." },
    { act: "disconnect", label: "Disconnect", help: "Closes the connection at once, without a Logout.", danger: true,
      obstacle: (one) => isConnected(one) ? "" : "The session is not connected." },
    { act: "disable", label: "Disable", help: "Logs the session out. No Logon is possible until it is enabled, also after a restart.", text: true, danger: true,
      obstacle: (one) => one.state === "disabled" ? "The session is disabled already." : "" },
  ]],
  ["Changes MsgSeqNums", [
    { act: "send-gap-fill", label: "Gap fill", help: "Sends a SequenceReset-GapFill: our next MsgSeqNum is this number.", number: "Next MsgSeqNum", danger: true,
      obstacle: (one) => one.state === "logged on" ? "" : "The session is not logged on." },
    { act: "set-numbers", label: "Set numbers", help: "Sets the next MsgSeqNums. Nothing is sent. Agree with the counterparty first.", numbers: true, danger: true },
    { act: "reset", label: "Reset", help: "Logs the session out. Our two sequence numbers begin again at 1; the counterparty must reset its own.", text: true, danger: true },
  ]],
];

const kEngineActs = [
  ["Files", [
    { act: "reload", label: "Reload the configuration", help: "Reads the file again, and applies all of it or nothing." },
    { act: "rotate-logs", label: "Rotate the logs", help: "Closes the log files and opens them again by their names." },
    { act: "reload-certificates", label: "Reload certificates", help: "Reads certificates and keys again, for new connections." },
  ]],
  ["Ends the engine", [
    { act: "drain", label: "Drain and stop", help: "Takes no new work, finishes what is under way, and stops.", number: "At most this many seconds", value: 60, danger: true },
    { act: "stop", label: "Stop", help: "Logs all sessions out, and ends the engine.", danger: true },
  ]],
];

const kClusterActs = ["Cluster", [
  { act: "join-node", label: "Let the node join", help: "The node takes shards again." },
  { act: "move-shard", label: "Move the shard", help: "Logs the sessions out here. The other node logs them on again, with the right MsgSeqNums.", node: true, danger: true },
  { act: "drain-node", label: "Drain the node", help: "Hands over all shards of this node. It takes none until it joins again.", danger: true },
]];

const dialog = document.getElementById("dialog");

export const mayAct = () => store.overview.allows_acts;

function actButton(one, session) {
  return el("button", { type: "button", "data-act": one.act, class: one.danger ? "risky" : null, onclick: () => confirmAct(one, session) }, one.label);
}

// show() disables what the engine would refuse in the state of the session; null: there is none.
export function sessionActs(name) {
  const buttons = [];
  const groups = kSessionActs.map(([label, acts]) => el("fieldset", { class: "acts" }, el("legend", {}, label),
    ...acts.map((one) => {
      const button = actButton(one, name);
      buttons.push([one, button]);
      return button;
    })));
  return {
    node: el("div", { class: "row", role: "group", "aria-label": "Acts on this session" }, ...groups),
    show(session) {
      for (const [one, button] of buttons) {
        const why = session === null ? "The engine has no such session." : one.obstacle?.(session) ?? "";
        button.disabled = why !== "";
        button.title = why || one.help;
      }
    },
  };
}

export function showEngineActs() {
  const groups = store.state?.cluster ? [...kEngineActs, kClusterActs] : kEngineActs;
  const rows = groups.map(([label, acts]) => el("fieldset", { class: "acts tall" }, el("legend", {}, label),
    ...acts.map((one) => el("div", {}, actButton(one, ""), el("div", { class: "faint" }, one.help)))));
  show(el("form", { method: "dialog" }, el("h2", { id: "dialog-title" }, "The whole engine"), ...rows,
    el("div", { class: "row" }, el("button", {}, "Close"))));
}

function show(form) {
  dialog.replaceChildren(form);
  if (!dialog.open) dialog.showModal();
}

function field(label, attributes) {
  const input = el("input", attributes);
  return { input, node: el("div", {}, el("label", { for: attributes.id }, label), input) };
}

function confirmAct(act, session) {
  const reason = field("Reason, for the record", { id: "act-reason", type: "text", required: true, maxlength: 1000, autocomplete: "off" });
  const node = act.node && field("Node", { id: "act-node", type: "text", required: true, maxlength: 63, autocomplete: "off" });
  const text = act.text && field("Text of the Logout (58), if any", { id: "act-text", type: "text", maxlength: 255, autocomplete: "off" });
  const number = act.number && field(act.number, { id: "act-number", type: "number", min: 1, required: true, value: act.value ?? "" });
  const now = act.numbers && store.state.sessions.find((one) => one.name === session);
  const nextIn = now && field(`Next MsgSeqNum in (now ${now.in.next})`, { id: "act-in", type: "number", min: 1, required: true, value: now.in.next });
  const nextOut = now && field(`Next MsgSeqNum out (now ${now.out.next})`, { id: "act-out", type: "number", min: 1, required: true, value: now.out.next });
  const failure = el("p", { class: "notice bad", role: "alert", hidden: true });
  const go = el("button", { class: act.danger ? "danger" : "main" }, act.label);
  const form = el("form", {
    onsubmit: async (event) => {
      event.preventDefault();
      go.disabled = true;
      try {
        await post("/api/act", {
          version: 8, request: act.act, session, reason: reason.input.value,
          ...(text && { text: text.input.value }),
          ...(node && { text: node.input.value }),
          ...(number && { number: number.input.valueAsNumber }),
          ...(now && {
            expected: { in: now.in.next, out: now.out.next },
            wanted: { in: nextIn.input.valueAsNumber, out: nextOut.input.valueAsNumber },
          }),
        });
        dialog.close();
        announce(`${act.label}: done`);
      } catch (error) {
        failure.hidden = false;
        failure.replaceChildren(...prose(error.message));
        go.disabled = false;
      }
    },
  },
  el("h2", { id: "dialog-title" }, ...prose(session ? `${act.label}: ${session}` : act.label)),
  el("p", { class: "faint" }, act.help),
  ...[nextIn, nextOut, number, node, text, reason].filter(Boolean).map((one) => one.node),
  failure,
  el("div", { class: "row" }, el("button", { type: "button", onclick: () => dialog.close() }, "Cancel"), go));
  show(form);
  reason.input.focus();
}

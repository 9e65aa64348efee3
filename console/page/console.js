// The page: signing in, the views, and what changes every second.

import { mayAct, showEngineActs } from "./acts.js";
import { announce, duration, el, setText } from "./dom.js";
import { eventsView } from "./events.js";
import { latencyView } from "./latency.js";
import { begin, end, follow, listen, post, SignedOut, store } from "./live.js";
import { scheduleView } from "./schedule.js";
import { sessionView } from "./session.js";
import { sessionsView } from "./sessions.js";

const content = document.getElementById("content");
const views = document.getElementById("views");
const engine = document.getElementById("engine");
let view = null;
let isConnected = true;

function route() {
  const [place, name, tab] = location.hash.replace(/^#\//, "").split("/");
  const session = decodeURIComponent(name ?? "");
  switch (place) {
    case "events": return eventsView();
    case "schedule": return scheduleView();
    case "latency": return latencyView();
    case "session":
      return sessionView(session, ["events", "figures", "configuration"].includes(tab) ? tab : "messages");
    default: return sessionsView();
  }
}

function showView() {
  view?.end?.();
  view = route();
  content.replaceChildren(view.node);
  document.title = `${view.title} – NexusFIX`;
  for (const link of views.children) {
    const here = (location.hash || "#/sessions").replace(/^#\/session\//, "#/sessions/");
    const isHere = here.startsWith(link.hash);
    if (isHere) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  follow(view.follows ?? null);
}

function showEngine() {
  if (!store.state) return;
  const { process, started, taken_at: now, is_stopping: isStopping } = store.state;
  const words = !isConnected ? "no connection to the engine"
    : `process ${process}, up ${duration(now - started)}${isStopping ? ", stopping" : ""}`;
  setText(engine, `${words} · ${store.overview.identity}${mayAct() ? "" : " · read-only"}`);
}

// Only a change of a session's state is read out.
function announceChanges({ state, before }) {
  if (!before) return;
  const former = new Map(before.sessions.map((session) => [session.name, session.state]));
  const changed = state.sessions.filter((one) => former.has(one.name) && former.get(one.name) !== one.state);
  if (changed.length > 0 && changed.length < 4) {
    announce(changed.map((one) => `${one.name}: ${one.state}`).join(". "));
  } else if (changed.length > 0) {
    announce(`${changed.length} sessions have changed their state`);
  }
}

listen((kind, data) => {
  if (kind === "signed out") return showSignIn();
  if (kind === "connection") isConnected = data;
  if (kind === "state") announceChanges(data);
  showEngine();
  view?.on[kind]?.(data);
});

function setSignedIn(isSignedIn) {
  views.hidden = !isSignedIn;
  engine.hidden = !isSignedIn;
  document.getElementById("sign-out").hidden = !isSignedIn || !store.overview?.has_cookie;
  document.getElementById("engine-acts").hidden = !isSignedIn || !mayAct();
}

function showSignIn() {
  end();
  view?.end?.();
  view = null;
  document.title = "Sign in – NexusFIX";
  const token = el("input", { type: "password", id: "token", required: true, autocomplete: "current-password" });
  const failure = el("p", { class: "notice bad", role: "alert", hidden: true });
  content.replaceChildren(el("form", {
    class: "panel sign-in",
    onsubmit: async (event) => {
      event.preventDefault();
      try {
        await post("/api/sign-in", { token: token.value.trim() });
        await start();
      } catch (error) {
        failure.hidden = false;
        failure.textContent = error.message;
        token.select();
      }
    },
  },
  el("h1", {}, "Sign in"),
  el("p", { class: "faint" }, "The token is in the file that event NXF-7031 of the engine names, after your name and a colon."),
  el("div", {}, el("label", { for: "token" }, "Token"), token), failure,
  el("button", { class: "main" }, "Sign in")));
  setSignedIn(false);
  token.focus();
}

async function start() {
  try {
    await begin();
  } catch (error) {
    if (error instanceof SignedOut) return showSignIn();
    content.replaceChildren(el("p", { class: "notice bad", role: "alert" }, error.message));
    return;
  }
  setSignedIn(true);
  showView();
}

window.addEventListener("hashchange", () => {
  if (views.hidden) return;
  showView();
  content.focus();
});
document.getElementById("sign-out").addEventListener("click", () => post("/api/sign-out", {}).finally(showSignIn));
document.getElementById("engine-acts").addEventListener("click", showEngineActs);
start();

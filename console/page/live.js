// Requests to the engine, and what it sends every second.

export class SignedOut extends Error {}

export const store = {
  overview: null,        // who has signed in, and what the console allows
  state: null,           // the newest state
  rates: new Map(),      // by session: {in, out}, messages a second of the last minute
  events: [],            // the newest last
  lastEvent: 0,
};

const kSeconds = 60;
const kEventsMax = 1000;
const listeners = new Set();
let source = null;
let followed = null;

// The listener gets "state", "events", "messages" or "connection" with its data.
export function listen(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function tell(kind, data) {
  for (const listener of [...listeners]) listener(kind, data);
}

export async function ask(path, options = {}) {
  const response = await fetch(path, options);
  if (response.status === 401 && path !== "/api/sign-in") throw new SignedOut();
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error);
  return answer;
}

export function post(path, body) {
  return ask(path, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-CSRF-Token": store.overview?.csrf ?? "" },
    body: JSON.stringify(body),
  });
}

export async function begin() {
  store.overview = await ask("/api/overview");
  follow(null);
}

// Gets the messages of this session as well; null: of none.
export function follow(session) {
  if (source && followed === session) return;
  followed = session;
  source?.close();
  const query = new URLSearchParams({ after: store.lastEvent });
  if (session !== null) query.set("session", session);
  source = new EventSource(`/api/live?${query}`);
  source.addEventListener("state", (event) => takeState(JSON.parse(event.data)));
  source.addEventListener("events", (event) => takeEvents(JSON.parse(event.data)));
  source.addEventListener("messages", (event) => tell("messages", JSON.parse(event.data)));
  source.addEventListener("refused", (event) => tell("refused", JSON.parse(event.data).error));
  source.onopen = () => tell("connection", true);
  source.onerror = () => {
    tell("connection", false);
    // A browser gives up after an answer that is no stream: after a restart the sign-in is gone.
    if (source.readyState === EventSource.CLOSED) {
      source = null;
      setTimeout(() => ask("/api/overview").then(() => follow(session), (error) => {
        if (error instanceof SignedOut) tell("signed out");
        else retry(session);
      }), 1000);
    }
  };
}

function retry(session) {
  setTimeout(() => {
    if (!source) follow(session);
  }, 2000);
}

export function end() {
  source?.close();
  source = null;
}

function takeState(state) {
  let before = store.state;
  if (before && before.started !== state.started) {  // another run of the engine
    before = null;
    store.rates.clear();
    store.events.length = 0;
    store.lastEvent = 0;
  }
  store.state = state;
  const seconds = before ? (state.taken_at - before.taken_at) / 1000 : 0;
  if (seconds > 0.1) {
    const former = new Map(before.sessions.map((session) => [session.name, session]));
    for (const session of state.sessions) addRates(session, former.get(session.name), seconds);
  }
  tell("state", { state, before });
}

function addRates(session, before, seconds) {
  if (!before) return;
  const rates = store.rates.get(session.name) ?? { in: [], out: [] };
  for (const way of ["in", "out"]) {
    rates[way].push(Math.max(0, session[way].messages - before[way].messages) / seconds);
    if (rates[way].length > kSeconds) rates[way].shift();
  }
  store.rates.set(session.name, rates);
}

export function ratesOf(name) {
  return store.rates.get(name) ?? { in: [], out: [] };
}

function takeEvents(events) {
  const fresh = events.filter((event) => event.number > store.lastEvent);
  if (fresh.length === 0) return;
  store.events.push(...fresh);
  store.events.splice(0, Math.max(0, store.events.length - kEventsMax));
  store.lastEvent = fresh.at(-1).number;
  tell("events", fresh);
}

// A client that is attached to the gateway, over any connection that brings bytes in their order.
import { ClosedError, CloseCode, NotSentError, RefuseCode, RefusedError } from "./errors.js";
import { EventQueue } from "./event_queue.js";
import {
  badFrame, FLAG_DUPLICATE, FLAG_FROM_JOURNAL, FLAG_SENT, FLAG_STORED, FRAME_BYTES_MAX, FrameReader,
  HEADER_BYTES, Kind, writeFrame,
} from "./frame.js";
import { readWelcome, writeHello } from "./greeting.js";

const QUEUE_MAX = 1 << 16;
const RETRY_MIN_MS = 100;
const RETRY_MAX_MS = 5000;
const text = (bytes) => new TextDecoder().decode(bytes);
const streamOf = (session, ofSent) => `${ofSent ? "sent" : "received"} ${session}`;
const isAfter = (a, b) => a.epoch !== b.epoch ? a.epoch > b.epoch : a.msgSeqNum > b.msgSeqNum;

export class Client {
  #options;
  #open; // (onBytes, onEnd) => Promise of {write, end}
  #events;
  #connection = null; // null: detached
  #welcome = null;
  #places = new Map(); // the last message of a direction of a session, as a cursor
  #pending = new Map(); // by number
  #last = 0; // the highest number in use
  #again = 0; // was refused, and is the next number; 0: none was
  #refused = []; // after it: the gateway's own answers to them come later
  #end = null; // why the client has ended
  #retry = null; // the timer and its delay

  constructor(options, open) {
    this.#options = { resend: true, queueMax: QUEUE_MAX, retryMinMs: RETRY_MIN_MS,
                      retryMaxMs: RETRY_MAX_MS, cursors: [], ...options };
    this.#open = open;
    this.#events = new EventQueue(this.#options.queueMax);
    for (const cursor of this.#options.cursors) {
      this.#places.set(streamOf(cursor.session, cursor.ofSent), { ofSent: false, ...cursor });
    }
  }

  static async attach(options, open) {
    const client = new Client(options, open);
    const { signal } = client.#options;
    signal?.throwIfAborted();
    await client.#connect();
    signal?.addEventListener("abort", () => client.close(), { once: true });
    return client;
  }

  get role() { return this.#welcome.role; }
  get sessions() { return this.#welcome.sessions; }
  get lastAccepted() { return this.#welcome.lastAccepted; }

  [Symbol.asyncIterator]() {
    return { next: () => this.#events.next(),
             return: async () => ({ done: true, value: undefined }) };
  }

  // A Promise of {session, number, epoch, msgSeqNum, duplicate, stored}.
  async send(session, message, { number = 0 } = {}) {
    const body = message.bytes();
    if (body.length > FRAME_BYTES_MAX - HEADER_BYTES) {
      throw new RangeError(`a message of ${body.length} bytes is too long`);
    }
    if (this.#end) throw new NotSentError(`the client has ended: ${this.#end.message}`);
    if (!this.#connection) throw new NotSentError("not attached to the gateway");
    const index = this.#indexOf(session);
    if (index < 0) throw new RangeError(`the client sees no session ${JSON.stringify(session)}`);
    const own = number === 0 ? this.#last + 1 : number;
    if (own <= this.#last && own > this.lastAccepted) {
      throw new RangeError(`number ${own} comes after number ${this.#last}`);
    }
    if (this.#again !== 0 && own > this.#again) {
      throw new RangeError(`number ${this.#again} was refused, and comes before number ${own}`);
    }
    if (own > this.#last) this.#again = 0;
    this.#last = Math.max(this.#last, own);
    return new Promise((resolve, reject) => {
      this.#pending.set(own, { session, body, number: own, resolve, reject });
      this.#connection.write(writeFrame({ kind: Kind.Send, session: index, number: own, body }));
    });
  }

  close() {
    this.#finish(new ClosedError(CloseCode.ClientEnds, "the client has ended"));
  }

  [Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose")]() {
    this.close();
    return Promise.resolve();
  }

  #indexOf(session) {
    return this.#welcome.sessions.findIndex((one) => one.name === session);
  }

  // Resolves after the Welcome. Later frames of this connection go to #handle().
  #connect() {
    const { name, token } = this.#options;
    const hello = writeHello(name, token, this.#places.values());
    const frames = new FrameReader();
    let connection = null;
    return new Promise((resolve, reject) => {
      const fail = (error) => {
        connection?.end();
        if (this.#connection === connection && connection) this.#lose(error);
        else reject(error);
      };
      const onBytes = (bytes) => {
        if (this.#end) {
          connection?.end();
          return;
        }
        try {
          for (const frame of frames.push(bytes)) {
            if (this.#connection === connection && connection) this.#handle(frame);
            else this.#adopt(connection, frame, resolve);
          }
        } catch (error) {
          fail(error);
        }
      };
      this.#open(onBytes, fail).then((opened) => {
        connection = opened;
        if (this.#end) fail(this.#end);
        else connection.write(writeFrame({ kind: Kind.Hello, body: hello }));
      }, reject);
    });
  }

  #adopt(connection, frame, resolve) {
    if (frame.kind === Kind.Closed) throw new ClosedError(frame.code, text(frame.body));
    if (frame.kind !== Kind.Welcome) {
      throw badFrame(`a frame of kind ${frame.kind} instead of the Welcome`);
    }
    this.#welcome = readWelcome(frame);
    this.#connection = connection;
    [this.#again, this.#refused] = [0, []];
    this.#last = Math.max(this.#last, this.lastAccepted);
    for (const session of this.sessions) {
      this.#begin(session.name, false, session.received);
      if (this.role === "observer") this.#begin(session.name, true, session.sent);
    }
    const isFirst = this.#retry === null;
    for (const one of [...this.#pending.values()]) this.#settle(one);
    if (!isFirst) this.#put({ kind: "reattached", sessions: this.sessions });
    resolve();
  }

  // Where a direction without a cursor goes on after a lost connection.
  #begin(session, ofSent, place) {
    const key = streamOf(session, ofSent);
    if (!this.#places.has(key)) this.#places.set(key, { session, ofSent, ...place });
  }

  // A message that had no answer when the connection was lost: the Welcome has it.
  #settle({ number, session, body, resolve, reject }) {
    const index = this.#indexOf(session);
    if (number > this.lastAccepted && this.#options.resend && index >= 0) {
      this.#connection.write(writeFrame({ kind: Kind.Send, session: index, number, body }));
      return;
    }
    this.#pending.delete(number);
    if (number <= this.lastAccepted) {
      resolve({ session, number, epoch: 0, msgSeqNum: 0, duplicate: true, stored: false });
    } else {
      reject(new NotSentError("the connection was lost before the message was accepted"));
    }
  }

  #lose(error) {
    this.#connection = null;
    if (this.#end) return;
    if (error instanceof ClosedError && error.isFinal) this.#finish(error);
    else if (this.#put({ kind: "detached", error })) this.#reattach(this.#options.retryMinMs);
  }

  #reattach(delay) {
    this.#retry = setTimeout(async () => {
      try {
        await this.#connect();
      } catch (error) {
        if (error instanceof ClosedError && error.isFinal) this.#finish(error);
        if (!this.#end) this.#reattach(Math.min(2 * delay, this.#options.retryMaxMs));
        return;
      }
      if (this.#end) this.#connection?.end();
    }, delay);
  }

  #put(event) {
    if (this.#events.put(event)) return true;
    this.#finish(new ClosedError(CloseCode.TooSlow,
                                 "the program receives events too slowly: queueMax wait"));
    return false;
  }

  #finish(error) {
    if (this.#end) return;
    this.#end = error;
    clearTimeout(this.#retry);
    this.#connection?.end();
    this.#connection = null;
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
    this.#events.end(error);
  }

  #handle(frame) {
    if (this.#end) return;
    if (frame.kind === Kind.CaughtUp) {
      this.#put({ kind: "caughtUp" });
      return;
    }
    if (frame.kind === Kind.Closed) throw new ClosedError(frame.code, text(frame.body));
    const session = this.sessions[frame.session]?.name;
    if (session === undefined) throw badFrame(`a frame of session ${frame.session}`);
    const { epoch, msgSeqNum, number, flags } = frame;
    if (frame.kind === Kind.Message) {
      this.#message(session, frame);
    } else if (frame.kind === Kind.SessionState) {
      this.#put({ kind: "state", session, epoch, loggedOn: frame.code === 1,
                  reason: text(frame.body) });
    } else if (frame.kind === Kind.Accepted) {
      this.#answered(number)?.resolve({ session, number, epoch, msgSeqNum,
                                        duplicate: (flags & FLAG_DUPLICATE) !== 0,
                                        stored: (flags & FLAG_STORED) !== 0 });
    } else if (frame.kind === Kind.Refused) {
      this.#refuse(new RefusedError(session, number, frame.code, text(frame.body), msgSeqNum));
    } else {
      throw badFrame(`a frame of kind ${frame.kind}`);
    }
  }

  // The gateway accepts no higher number before this one is used again (in-order=1): the messages
  // that left after this one are refused, too.
  #refuse(why) {
    if (why.code === RefuseCode.Reset) {
      why.waitMs = 0;
      this.#put({ kind: "refused", error: why });
      return;
    }
    if (why.code === RefuseCode.AfterRefused && why.number === this.#refused[0]) {
      this.#refused.shift();
      return;
    }
    this.#answered(why.number)?.reject(why);
    for (const { number, session, reject } of [...this.#pending.values()]) {
      if (number < why.number) continue;
      this.#pending.delete(number);
      this.#refused.push(number);
      reject(new RefusedError(session, number, RefuseCode.AfterRefused,
                              `message ${why.number} was refused before`, 0));
    }
    [this.#last, this.#again] = [why.number - 1, why.number];
  }

  #answered(number) {
    const found = this.#pending.get(number);
    this.#pending.delete(number);
    return found;
  }

  #message(session, { epoch, msgSeqNum, flags, body }) {
    const ofSent = (flags & FLAG_SENT) !== 0;
    const key = streamOf(session, ofSent);
    const before = this.#places.get(key);
    const cursor = { session, epoch, msgSeqNum, ofSent };
    if (before && !isAfter(cursor, before)) return; // the program has it
    this.#places.set(key, cursor);
    this.#put({ kind: "message", ...cursor, cursor, fromJournal: (flags & FLAG_FROM_JOURNAL) !== 0,
                bytes: body });
  }
}

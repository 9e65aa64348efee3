/** The client of `nexusfix gateway`. */

/** The place of a message: by epoch, then by MsgSeqNum (34). */
export interface Place {
  /** The session's number of resets, plus 1; 0: before all. */
  readonly epoch: number;
  readonly msgSeqNum: number;
}

/**
 * The last message of a session that the program has handled. Keep it in a store of your own,
 * written together with the effect of the message.
 */
export interface Cursor extends Place {
  readonly session: string;
  /** An observer's: of the messages that the session has sent. */
  readonly ofSent?: boolean;
}

/** What the gateway says of a session when the client attaches. */
export interface Session {
  readonly name: string;
  readonly loggedOn: boolean;
  readonly received: Place;
  readonly sent: Place;
}

export interface Options {
  /** The path of the gateway's Unix socket, in Node. Either this or url. */
  socket?: string;
  /** The gateway's WebSocket, such as "wss://desk.example.com:8443/", in a browser or Node. */
  url?: string;
  /** A class with the interface of a browser's WebSocket (the global one, or that of ws). */
  WebSocket?: new (url: string) => any;
  /** As the gateway's file of clients has it. */
  name: string;
  token: string;
  /** From the program's own store. */
  cursors?: readonly Cursor[];
  /**
   * Whether messages without an answer are sent again after a lost connection (true): exactly those
   * that the gateway has not accepted. Otherwise their promises are rejected with a NotSentError.
   */
  resend?: boolean;
  /** Events that may wait (65,536). With more the client ends with the code TooSlow. */
  queueMax?: number;
  /** The delay after a lost connection (100), which doubles to retryMaxMs (5,000). */
  retryMinMs?: number;
  retryMaxMs?: number;
  /** Closes the client. */
  signal?: AbortSignal;
}

/** A message and its number are in the gateway's journal. */
export interface Accepted extends Place {
  readonly session: string;
  readonly number: number;
  /** The number was accepted before: the gateway has sent it once. epoch and msgSeqNum are 0. */
  readonly duplicate: boolean;
  /** The session is not logged on: a resend sends it after the next Logon. */
  readonly stored: boolean;
}

export type Event =
  /** An application message; keep `cursor` after it is handled. `Message.parse(bytes)` reads it. */
  | { readonly kind: "message"; readonly session: string; readonly epoch: number;
      readonly msgSeqNum: number; readonly ofSent: boolean; readonly fromJournal: boolean;
      readonly cursor: Cursor; readonly bytes: Uint8Array }
  /** A session has logged on or out. */
  | { readonly kind: "state"; readonly session: string; readonly epoch: number;
      readonly loggedOn: boolean; readonly reason: string }
  /** A message that was accepted as stored is never sent: its session was reset before. */
  | { readonly kind: "refused"; readonly error: RefusedError }
  /** All messages of the journal have come. */
  | { readonly kind: "caughtUp" }
  /** The connection is lost; the client attaches again by itself. */
  | { readonly kind: "detached"; readonly error: Error }
  | { readonly kind: "reattached"; readonly sessions: readonly Session[] };

/** Attaches. Rejected with a ClosedError: the gateway refuses the client. */
export function attach(options: Options): Promise<Client>;

/** `for await (const event of client)` ends with a ClosedError when the client has ended. */
export class Client implements AsyncIterable<Event> {
  private constructor();
  readonly role: "trader" | "observer";
  /** The sessions that the client may see, as they were when it attached. */
  readonly sessions: readonly Session[];
  /**
   * The highest number whose message was in the gateway's journal when the client attached. A
   * program that keeps a number with each message sends those with a higher one again.
   */
  readonly lastAccepted: number;
  /**
   * Sends a message. Rejected with a RefusedError or a NotSentError: nothing was sent. With a
   * ClosedError: the client has ended without an answer. number: one of the program's own, higher
   * than every one before.
   */
  send(session: string, message: Message, options?: { number?: number }): Promise<Accepted>;
  /** Ends the connection. The sessions go on. */
  close(): void;
  [Symbol.asyncIterator](): AsyncIterator<Event>;
}

/** A tag and the type of its values: `nexusfix codegen --language typescript` makes them. */
export interface Field<T, W = T> {
  readonly tag: number;
  readonly lengthTag?: number;
  read(bytes: Uint8Array): T;
  write(value: W): Uint8Array;
}
/** It reads the exact text; Number(text) calculates. */
export type DecimalField = Field<string, string | number>;

export function textField(tag: number): Field<string>;
export function namedField<V extends Record<string, string>>(tag: number, values: V):
  Field<string> & Readonly<V>;
export function integerField(tag: number): Field<number>;
export function decimalField(tag: number): DecimalField;
export function booleanField(tag: number): Field<boolean>;
/** UTCTimestamp, in milliseconds. */
export function timeField(tag: number): Field<Date>;
export function dataField(tag: number, lengthTag: number): Field<Uint8Array>;

export class Group {
  constructor(tag: number, members: readonly number[], groups: readonly Group[]);
  readonly tag: number;
}

/** The fields of a message, or of an entry of a group. */
export class Fields {
  /** undefined: the message does not have it. Throws a FieldError: it is of another type. */
  get<T>(field: Field<T, any>): T | undefined;
  /** Throws a FieldError: the value has no bytes, or SOH. */
  set<W>(field: Field<any, W>, value: W): this;
  text(tag: number): string | undefined;
  setText(tag: number, value: string): this;
  /** Adds an entry, whose fields may be set in any order. */
  add(group: Group): Fields;
  /** Throws a FieldError: the count says another number. */
  entries(group: Group): Fields[];
}

/** A FIX message. The gateway writes the header. */
export class Message extends Fields {
  constructor(msgType: string);
  readonly msgType: string;
  /** Throws a RangeError: the bytes are no message. */
  static parse(bytes: Uint8Array): Message;
  bytes(): Uint8Array;
}

export const CloseCode: {
  readonly Version: 1; readonly Denied: 2; readonly AlreadyAttached: 3; readonly BadFrame: 4;
  readonly TooSlow: 5; readonly NoHello: 6; readonly Stopping: 7; readonly CursorInvalid: 8;
  readonly MessagesGone: 9; readonly ClientEnds: 10;
};
export const RefuseCode: {
  readonly BadMessage: 1; readonly NotAllowed: 2; readonly SessionClosed: 3;
  readonly RateLimited: 4; readonly Unavailable: 5; readonly AfterRefused: 6;
  readonly Reset: 7;
};
/** Why the connection, or the client, has ended. */
export class ClosedError extends Error {
  readonly code: number;
}
/** Nothing was sent; the number may be used again. waitMs: of RateLimited. */
export class RefusedError extends Error {
  readonly session: string;
  readonly number: number;
  readonly code: number;
  readonly waitMs: number;
}
/** There is no connection, or it was lost before the message was accepted. */
export class NotSentError extends Error {}
export class FieldError extends Error {
  readonly tag: number;
}

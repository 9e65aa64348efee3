/**
 * NexusFIX in JavaScript: FIX messages in logs, decoded, validated and followed, with the words of
 * the command `nexusfix`. Everything runs in the memory of a WebAssembly module: no file, network
 * or environment is read.
 */

/** A log: text, or its bytes. A string is read as UTF-8. */
export type Log = string | ArrayBuffer | ArrayBufferView;

/**
 * What load() accepts in place of the module beside this file: its address as text or URL, a
 * Response, its bytes, or a WebAssembly.Module. `object`, because not every program has the types
 * of a browser.
 */
export type ModuleSource = string | object;

/**
 * Loads the module: in Node.js from the file beside this one, in a browser by fetch().
 * A module has the built-in dictionaries of FIX 4.0 to 5.0 SP2 and FIXT 1.1.
 * Throws NexusfixError if the module cannot be fetched, and what WebAssembly.compile() throws.
 */
export function load(source?: ModuleSource | Promise<ModuleSource>): Promise<Nexusfix>;

/** A fault that is not one of the log: the module cannot be loaded, or its memory is full. */
export class NexusfixError extends Error {}

/** One field of a message. */
export interface Field {
  /** The tag; null: the text before `=` is none, and `text` has it. */
  tag: number | null;
  /** Only without a tag: the text before `=`, or the whole field. */
  text?: string;
  /** The name, such as "Side"; empty: no dictionary has the tag. */
  name: string;
  /** The value as it is in the message. A byte that is not UTF-8 is `\xff`. */
  value: string;
  /** The name of the value, such as "BUY"; empty: it has none. */
  meaning: string;
}

/** The first rule of the dictionary that a message breaks, as `nexusfix validate` explains it. */
export interface Fault {
  /** One sentence, without a full stop. */
  problem: string;
  /** The tag of the field; 0: there is no readable tag. */
  tag: number;
  /** SessionRejectReason (373) of the Reject; null: such a message is not answered. */
  reason: number | null;
  /** The first byte of the fault, from the start of the message. */
  offset: number;
  /** The number of bytes; 0: something is missing here. */
  size: number;
  /** The definition of the field; may be empty. */
  definition: string;
  /** A correct value; may be empty. */
  nearest: string;
  /** All of it in lines: the problem, the message, `^~~` below the fault, the definition. */
  text: string;
}

/** A message of a log. */
export interface Message {
  /** The place of `8=FIX` in the bytes of the log. */
  offset: number;
  /** The text before the message in its line. */
  prefix: string;
  /** "NewOrderSingle (D)  34=2  TRADER -> VENUE  20240115-10:30:00.123" */
  heading: string;
  /** MsgType (35); empty: there is none. */
  msgType: string;
  fields: Field[];
  /** What is wrong with the form of the message: BodyLength, CheckSum, a field without a value. */
  faults: string[];
  /** null: the dictionary has no objection. Absent if the messages were not validated. */
  verdict?: Fault | null;
}

/** A line of `nexusfix validate --json`. */
export interface Verdict {
  file: string;
  /** The number of the message in the log, from 1. */
  message: number;
  msg_type: string;
  msg_seq_num: string;
  valid: boolean;
  problem?: string;
  tag?: number | null;
  reason?: number | null;
  offset?: number;
  size?: number;
  definition?: string;
  nearest?: string;
}

/** A message in the life of an order. */
export interface OrderEvent {
  /** When it was logged, or sent: "20240115-10:30:00.123456"; empty: unknown. */
  time: string;
  other_time: string;
  file: string;
  offset: number;
  sender: string;
  target: string;
  /** "NewOrderSingle" */
  type: string;
  details: string;
  message: string;
  /** false: a resend, or an ExecID that was seen before. */
  counted: boolean;
  /** Where the report disagrees with the computed state, one line each. */
  disagreements: string[];
}

/** The life of an order, as `nexusfix order --json` has it. Quantities are decimal texts. */
export interface Order {
  session: string;
  symbol: string;
  side: string;
  price: string;
  events: OrderEvent[];
  state: {
    ord_status: string;
    ord_status_name: string;
    order_qty: string | null;
    cum_qty: string;
    leaves_qty: string | null;
    avg_px: number | null;
  };
  reported: {
    ord_status: string;
    order_qty: string;
    cum_qty: string;
    leaves_qty: string;
    avg_px: string;
  };
  disagreements: string[];
  open_requests: {type: string; cl_ord_id: string}[];
  begins_before_the_log: boolean;
}

export interface Options {
  /** The name of the log in answers. Default: "log". */
  name?: string;
  /** Show passwords (554, 925, 1402, 1404, 96 of a Logon). Default: *** is in their place. */
  showPasswords?: boolean;
}

/**
 * What a decoder answers: "text" as `nexusfix decode`, "summary" as `decode --summary`, "faults" as
 * `nexusfix validate`, "verdicts" as `validate --json`, "messages" and "fields" Message objects,
 * with and without validation. The command's line with counts is left out: see Decoder.counts.
 */
export type Answer = 'text' | 'summary' | 'faults' | 'verdicts' | 'messages' | 'fields';

export interface Counts {
  messages: number;
  /** Messages with faults. 0 for "verdicts" and "faults". */
  faulty: number;
  /** Messages with a verdict. 0 for answers that do not validate. */
  invalid: number;
  /** Places that begin with 8=FIX and are no message. */
  skipped: number;
}

/** Reads a log piece by piece, in memory for one piece and one message. */
export class Decoder<T = string | Message | Verdict> {
  private constructor();
  /** The answers to the messages that this chunk completes. Iterate it to its end. */
  feed(chunk: Log): Generator<T>;
  /** The answers to the messages that the end of the log completes. */
  finish(): Generator<T>;
  /** So far. */
  get counts(): Counts;
  /** Frees the memory in the module. */
  close(): void;
}

export class Nexusfix {
  private constructor();

  /** As `nexusfix decode`: each message with names and meanings. summary: one line each. */
  decode(log: Log, options?: Options & {summary?: boolean}): string;
  /** The messages as objects. validate: false: without verdicts, and faster. */
  messages(log: Log, options?: Options & {validate?: boolean}): Generator<Message>;
  /** As `nexusfix validate --json`. Passwords are not quoted, unless their field is the fault. */
  verdicts(log: Log, options?: Options): Generator<Verdict>;
  /** As `nexusfix validate`: a paragraph for each invalid message; empty: all are valid. */
  explain(log: Log, options?: Options): string;
  /**
   * The orders that have an identifier: a ClOrdID, OrigClOrdID, OrderID, ExecID or ExecRefID. Empty:
   * none has it. A log of more than 1 GiB throws NexusfixError.
   */
  order(id: string, log: Log, options?: {name?: string}): Order[];
  /** As `nexusfix order`; empty: no order has the identifier. */
  orderText(id: string, log: Log, options?: {name?: string}): string;

  decoder(answer: 'messages' | 'fields', options?: Options): Decoder<Message>;
  decoder(answer: 'verdicts', options?: Options): Decoder<Verdict>;
  decoder(answer: 'text' | 'summary' | 'faults', options?: Options): Decoder<string>;

  /** The instruction set of the parser: "scalar". */
  get kernel(): string;
}

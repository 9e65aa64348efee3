// Fields: a tag and the type of its values. `nexusfix codegen --language typescript` makes those of
// a dictionary.
import { FieldError } from "./errors.js";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

function field(tag, read, write, values = {}) {
  return Object.freeze({
    ...values,
    tag,
    read: (bytes) => read(decoder.decode(bytes), tag),
    write: (value) => encoder.encode(write(value, tag)),
  });
}

function checked(pattern, text, tag) {
  if (!pattern.test(text)) throw new FieldError(tag, `the value ${JSON.stringify(text)}`);
  return text;
}

export const textField = (tag) => field(tag, String, String);
export const namedField = (tag, values) => field(tag, String, String, values);

export const integerField = (tag) => field(tag, (text) => {
  const value = Number(checked(/^-?\d+$/, text, tag));
  if (!Number.isSafeInteger(value)) throw new FieldError(tag, `${text} is above 2^53`);
  return value;
}, (value) => checked(/^-?\d+$/, String(value), tag));

// The exact text, because 0.1 is no binary number: Number(text) calculates. A number may be given
// if JavaScript writes it without an exponent.
const DECIMAL = /^-?(\d+\.?\d*|\.\d+)$/;
export const decimalField = (tag) => field(tag, (text) => checked(DECIMAL, text, tag),
                                           (value) => checked(DECIMAL, String(value), tag));

export const booleanField = (tag) => field(tag, (text) => checked(/^[YN]$/, text, tag) === "Y",
                                           (value) => (value ? "Y" : "N"));

const TIME = /^(\d{4})(\d\d)(\d\d)-(\d\d):(\d\d):(\d\d)(?:\.(\d{1,12}))?$/;
// Milliseconds, as a Date has them.
export const timeField = (tag) => field(tag, (text) => {
  const found = TIME.exec(checked(TIME, text, tag));
  const [year, month, day, hour, minute, second] = found.slice(1, 7).map(Number);
  const milliseconds = Number((found[7] ?? "").padEnd(3, "0").slice(0, 3));
  return new Date(Date.UTC(year, month - 1, day, hour, minute, second, milliseconds));
}, (value) => value.toISOString().replace(/-/g, "").replace("T", "-").replace("Z", ""));

export const dataField = (tag, lengthTag) => Object.freeze({
  tag, lengthTag, read: (bytes) => new Uint8Array(bytes), write: (bytes) => new Uint8Array(bytes),
});

// A repeating group: its count field, the tags of an entry in their order, and the groups in it.
export class Group {
  constructor(tag, members, groups) {
    this.tag = tag;
    this.members = members;
    this.within = new Set([...members, ...groups.flatMap((inner) => [...inner.within])]);
    Object.freeze(this);
  }
}

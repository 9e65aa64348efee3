import { FieldError } from "./errors.js";
import { textField } from "./field.js";

const SOH = 1;
const EQUALS = 61;
const MSG_TYPE = 35;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

// A data field comes after its Length field, and may have SOH.
const DATA_OF = new Map([
  [90, 91], [93, 89], [95, 96], [212, 213], [348, 349], [350, 351], [352, 353], [354, 355],
  [356, 357], [358, 359], [360, 361], [362, 363], [364, 365], [445, 446], [618, 619], [621, 622],
  [1184, 1185], [1277, 1278], [1280, 1281], [1282, 1283], [1397, 1398], [1401, 1402],
  [1403, 1404], [1468, 1469],
]);

// The fields of a message, or of an entry of a group, in their order.
export class Fields {
  constructor() {
    this.list = [];
  }

  // The value of a field; undefined: it is missing. Throws a FieldError: it is of another type.
  get(field) {
    const found = this.#find(field.tag);
    return found?.value && field.read(found.value);
  }

  // Throws a FieldError: the value has no bytes, or SOH.
  set(field, value) {
    const bytes = field.write(value);
    if (bytes.length === 0) throw new FieldError(field.tag, "a value has at least one byte");
    if (field.lengthTag) {
      this.#put(field.lengthTag, { value: encoder.encode(String(bytes.length)) });
    } else if (bytes.includes(SOH)) {
      throw new FieldError(field.tag, "a value has no SOH");
    }
    this.#put(field.tag, { value: bytes });
    return this;
  }

  // By tag: for fields that the dictionary does not have.
  text(tag) {
    return this.get(textField(tag));
  }

  setText(tag, value) {
    return this.set(textField(tag), value);
  }

  // Adds an entry, whose fields may be set in any order.
  add(group) {
    if (!this.#find(group.tag)?.group) this.#put(group.tag, { group, entries: [] });
    const entry = new Fields();
    this.#find(group.tag).entries.push(entry);
    return entry;
  }

  // The entries of a group. Throws a FieldError: the count says another number.
  entries(group) {
    const at = this.list.findIndex((one) => one.tag === group.tag);
    if (at < 0) return [];
    if (this.list[at].group) return [...this.list[at].entries];
    const entries = [];
    const first = this.list[at + 1]?.tag;
    for (let i = at + 1; i < this.list.length && group.within.has(this.list[i].tag); ++i) {
      if (this.list[i].tag === first) entries.push(new Fields());
      entries.at(-1).list.push(this.list[i]);
    }
    const count = decoder.decode(this.list[at].value);
    if (count !== String(entries.length)) {
      throw new FieldError(group.tag, `${count}, but there are ${entries.length}`);
    }
    return entries;
  }

  #find(tag) {
    return this.list.find((one) => one.tag === tag);
  }

  #put(tag, content) {
    const at = this.list.findIndex((one) => one.tag === tag);
    this.list.splice(at < 0 ? this.list.length : at, at < 0 ? 0 : 1, { tag, ...content });
  }
}

function append(parts, fields, order) {
  const place = (one) => {
    const at = order ? order.indexOf(one.tag) : 0;
    return at < 0 ? order.length : at;
  };
  for (const one of [...fields.list].sort((a, b) => place(a) - place(b))) {
    if (one.tag === MSG_TYPE) continue;
    const value = one.group ? encoder.encode(String(one.entries.length)) : one.value;
    parts.push(encoder.encode(`${one.tag}=`), value, Uint8Array.of(SOH));
    for (const entry of one.entries ?? []) append(parts, entry, one.group.members);
  }
}

export class Message extends Fields {
  constructor(msgType) {
    super();
    this.msgType = msgType;
  }

  // Reads a whole message. Throws a RangeError: the bytes are none.
  static parse(bytes) {
    const message = new Message("");
    let dataTag = 0;
    let length = 0;
    for (let at = 0; at < bytes.length;) {
      const equals = bytes.indexOf(EQUALS, at);
      const name = decoder.decode(bytes.subarray(at, Math.max(equals, at)));
      const tag = /^[1-9]\d{0,8}$/.test(name) ? Number(name) : 0;
      const end = dataTag !== 0 && dataTag === tag ? equals + 1 + length
                                                   : bytes.indexOf(SOH, equals);
      if (tag === 0 || end < 0 || bytes[end] !== SOH) {
        throw new RangeError(`the field at byte ${at} cannot be read`);
      }
      const value = bytes.subarray(equals + 1, end);
      dataTag = DATA_OF.get(tag) ?? 0;
      if (dataTag !== 0) {
        const text = decoder.decode(value);
        length = Number(text);
        if (!/^\d{1,9}$/.test(text)) throw new RangeError(`field ${tag} is no length`);
      }
      if (tag === MSG_TYPE && message.msgType === "") message.msgType = decoder.decode(value);
      message.list.push({ tag, value });
      at = end + 1;
    }
    if (message.msgType === "") throw new RangeError("the message has no MsgType (35)");
    return message;
  }

  // The body of a Send: 35= and the fields, SOH after each.
  bytes() {
    const parts = [encoder.encode(`35=${this.msgType}\x01`)];
    append(parts, this, undefined);
    const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of parts) {
      bytes.set(part, at);
      at += part.length;
    }
    return bytes;
  }
}

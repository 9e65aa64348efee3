// The frames of docs/reference/gateway-protocol.md.
import { ClosedError, CloseCode } from "./errors.js";

export const VERSION = 1;
export const HEADER_BYTES = 40;
export const FRAME_BYTES_MAX = (1 << 20) + (4 << 10);

export const Kind = Object.freeze({
  Hello: 1, Welcome: 2, Send: 3, Accepted: 4, Refused: 5, Message: 6, SessionState: 7, CaughtUp: 8,
  Closed: 9,
});
export const FLAG_DUPLICATE = 1; // of Accepted
export const FLAG_STORED = 2; // of Accepted
export const FLAG_FROM_JOURNAL = 1; // of Message
export const FLAG_SENT = 2; // of Message

const AT = { version: 4, kind: 5, flags: 6, session: 8, code: 12, epoch: 16, seq: 24, number: 32 };

export function badFrame(reason) {
  return new ClosedError(CloseCode.BadFrame, reason);
}

// The bytes of a frame. What is not given is 0.
export function writeFrame({ kind, flags = 0, session = 0, code = 0, epoch = 0, msgSeqNum = 0,
                             number = 0, body = new Uint8Array() }) {
  const bytes = new Uint8Array(HEADER_BYTES + body.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, bytes.length, true);
  view.setUint8(AT.version, VERSION);
  view.setUint8(AT.kind, kind);
  view.setUint16(AT.flags, flags, true);
  view.setUint32(AT.session, session, true);
  view.setUint32(AT.code, code, true);
  view.setBigUint64(AT.epoch, BigInt(epoch), true);
  view.setBigUint64(AT.seq, BigInt(msgSeqNum), true);
  view.setBigUint64(AT.number, BigInt(number), true);
  bytes.set(body, HEADER_BYTES);
  return bytes;
}

function integer(view, at) {
  const value = Number(view.getBigUint64(at, true));
  if (!Number.isSafeInteger(value)) throw badFrame(`the number ${value} is above 2^53`);
  return value;
}

function readFrame(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return {
    kind: view.getUint8(AT.kind),
    flags: view.getUint16(AT.flags, true),
    session: view.getUint32(AT.session, true),
    code: view.getUint32(AT.code, true),
    epoch: integer(view, AT.epoch),
    msgSeqNum: integer(view, AT.seq),
    number: integer(view, AT.number),
    body: new Uint8Array(bytes.subarray(HEADER_BYTES)),
  };
}

// Joins the bytes of a stream to frames, whatever the pieces.
export class FrameReader {
  #chunks = [];
  #size = 0;

  // The whole frames that end in these bytes. Throws a ClosedError: the bytes are no frames.
  push(bytes) {
    this.#chunks.push(bytes);
    this.#size += bytes.length;
    const frames = [];
    while (this.#size >= HEADER_BYTES) {
      const head = this.#joined(HEADER_BYTES);
      const length = new DataView(head.buffer, head.byteOffset, head.length).getUint32(0, true);
      if (length < HEADER_BYTES || length > FRAME_BYTES_MAX) {
        throw badFrame(`a frame of ${length} bytes`);
      }
      if (head[AT.version] !== VERSION) {
        throw badFrame(`the gateway speaks version ${head[AT.version]} of the protocol, ` +
                       `this client ${VERSION}`);
      }
      if (this.#size < length) break;
      const whole = this.#joined(length);
      frames.push(readFrame(whole.subarray(0, length)));
      this.#chunks[0] = whole.subarray(length);
      this.#size -= length;
    }
    return frames;
  }

  // At least this number of bytes in one piece, from the beginning.
  #joined(size) {
    while (this.#chunks[0].length < size) {
      let count = 0;
      let bytes = 0;
      while (bytes < size) bytes += this.#chunks[count++].length;
      const joined = new Uint8Array(bytes);
      let at = 0;
      for (const chunk of this.#chunks.splice(0, count)) {
        joined.set(chunk, at);
        at += chunk.length;
      }
      this.#chunks.unshift(joined);
    }
    return this.#chunks[0];
  }
}

import assert from "node:assert/strict";
import test from "node:test";
import { ClosedError } from "../src/errors.js";
import { EventQueue } from "../src/event_queue.js";
import { FrameReader, HEADER_BYTES, Kind, writeFrame } from "../src/frame.js";
import { readWelcome, writeHello } from "../src/greeting.js";

const bytes = (text) => new TextEncoder().encode(text);

test("a Send has the bytes of the document", () => {
  const body = bytes("35=D|11=A1|55=AAPL|54=1|38=100|40=1|21=1|59=0|".replaceAll("|", "\x01"));
  const sent = writeFrame({ kind: Kind.Send, number: 7, body });
  assert.equal(Buffer.from(sent.subarray(0, HEADER_BYTES)).toString("hex"),
               "56000000" + "01030000" + "00".repeat(24) + "0700000000000000");
  assert.deepEqual(sent.slice(HEADER_BYTES), body);
});

test("frames are the same, whatever the pieces of the stream", () => {
  const frames = [
    { kind: Kind.Message, flags: 3, session: 2, code: 4, epoch: 5, msgSeqNum: 6, number: 7,
      body: bytes("35=8\x01") },
    { kind: Kind.CaughtUp, flags: 0, session: 0, code: 0, epoch: 0, msgSeqNum: 0, number: 0,
      body: bytes("") },
    { kind: Kind.Message, flags: 0, session: 0, code: 0, epoch: 1, msgSeqNum: 2, number: 0,
      body: bytes("x".repeat(200)) },
  ];
  const stream = Buffer.concat(frames.map(writeFrame));
  for (const size of [1, 2, 39, 40, 41, 100, stream.length]) {
    const reader = new FrameReader();
    const read = [];
    for (let at = 0; at < stream.length; at += size) {
      read.push(...reader.push(stream.subarray(at, at + size)));
    }
    assert.deepEqual(read, frames, `pieces of ${size} bytes`);
  }
});

test("bytes that are no frame are refused", () => {
  for (const [at, value] of [[0, 39], [3, 1], [4, 2]]) {
    const wrong = writeFrame({ kind: Kind.CaughtUp });
    wrong[at] = value;
    assert.throws(() => new FrameReader().push(wrong), ClosedError);
  }
});

test("a Welcome is read by line, and a Hello has none in a name", () => {
  const welcome = readWelcome({ number: 9, body: bytes(
    "gateway=1\nrole=observer\nlater=x\nsession=0 2 30 40 on FIX.4.4:A->B\n" +
    "session=1 1 0 0 off with a blank\n") });
  assert.equal(welcome.role, "observer");
  assert.equal(welcome.lastAccepted, 9);
  assert.deepEqual(welcome.sessions[0], { name: "FIX.4.4:A->B", loggedOn: true,
    received: { epoch: 2, msgSeqNum: 30 }, sent: { epoch: 2, msgSeqNum: 40 } });
  assert.equal(welcome.sessions[1].name, "with a blank");
  for (const line of ["session=1 1 0 0 on x\n", "session=0 x 0 0 on x\n", "session=0 1"]) {
    assert.throws(() => readWelcome({ number: 0, body: bytes(line) }), ClosedError, line);
  }
  assert.throws(() => writeHello("a\nb", "", []), RangeError);
  assert.throws(() => writeHello("a", "", Array(5000).fill(
    { session: "FIX.4.4:SENDER->TARGET", epoch: 1, msgSeqNum: 1 })), RangeError);
});

test("a full queue takes no event, and a closed one rejects after its events", async () => {
  const queue = new EventQueue(1);
  const waiting = queue.next();
  assert.ok(queue.put("a"));
  assert.equal((await waiting).value, "a");
  assert.ok(queue.put("b"));
  assert.ok(!queue.put("c"));
  queue.end(new Error("the end"));
  assert.equal((await queue.next()).value, "b");
  await assert.rejects(queue.next(), /the end/);
});

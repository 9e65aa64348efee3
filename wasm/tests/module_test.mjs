// What the module answers, and what it refuses. NEXUSFIX_PACKAGE: the folder of the package.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {test} from 'node:test';
import {pathToFileURL} from 'node:url';

const PACKAGE = pathToFileURL(`${process.env.NEXUSFIX_PACKAGE}/`);
const {load, NexusfixError} = await import(new URL('index.js', PACKAGE));
const fix = await load();

function message(body, beginString = 'FIX.4.4') {
  const fields = body.replaceAll('|', '\x01');
  const begin = `8=${beginString}\x019=${Buffer.byteLength(fields)}\x01${fields}`;
  const sum = Buffer.from(begin).reduce((total, byte) => total + byte, 0) % 256;
  return `${begin}10=${String(sum).padStart(3, '0')}\x01`;
}

const HEADER = '34=2|49=TRADER|52=20240115-10:30:00|56=VENUE|';
const ORDER = `35=D|${HEADER}11=A1|55=AAPL|54=1|60=20240115-10:30:00|38=100|40=1|`;

test('a message has the names and meanings of its fields', () => {
  const [order] = [...fix.messages(`10:30 OUT ${message(ORDER)}\n`)];
  assert.equal(order.prefix, '10:30 OUT ');
  assert.equal(order.offset, 10);
  assert.equal(order.msgType, 'D');
  assert.equal(order.heading,
               'NewOrderSingle (D)  34=2  TRADER -> VENUE  20240115-10:30:00');
  assert.deepEqual(order.fields.find((field) => field.tag === 54),
                   {tag: 54, name: 'Side', value: '1', meaning: 'BUY'});
  assert.deepEqual([order.faults, order.verdict], [[], null]);
});

test('every version has its own names', () => {
  for (const version of ['FIX.4.0', 'FIX.4.1', 'FIX.4.2', 'FIX.4.3', 'FIX.4.4', 'FIXT.1.1']) {
    const [order] = [...fix.messages(message(ORDER, version))];
    assert.equal(order.fields.find((field) => field.tag === 54).meaning, 'BUY', version);
  }
  const rule80A = (version) => [...fix.messages(message(`${ORDER}47=A|`, version))][0]
    .fields.find((field) => field.tag === 47);
  assert.equal(rule80A('FIX.4.2').name, 'Rule80A');
});

test('an invalid value has a caret below it', () => {
  const [order] = [...fix.messages(message(ORDER.replace('54=1', '54=X')))];
  assert.equal(order.verdict.problem, "Side (54) is 'X', which is not one of its values");
  assert.deepEqual([order.verdict.tag, order.verdict.reason], [54, 5]);
  const [, line, marks] = order.verdict.text.split('\n');
  assert.equal(line[marks.indexOf('^')], 'X');
});

test('a log in pieces of any size gives the same answers', () => {
  const log = Buffer.from(`a ${message(ORDER)}\nb ${message(ORDER.replace('38=100|', ''))}\n`);
  const whole = fix.decode(log);
  for (let size = 1; size < 40; ++size) {
    const decoder = fix.decoder('text');
    const parts = [];
    for (let at = 0; at < log.length; at += size) {
      parts.push(...decoder.feed(log.subarray(at, at + size)));
    }
    parts.push(...decoder.finish());
    assert.equal(parts.join(''), whole, `pieces of ${size} bytes`);
    assert.deepEqual(decoder.counts, {messages: 2, faulty: 0, invalid: 0, skipped: 0});
    decoder.close();
  }
});

test('passwords are hidden unless they are asked for', () => {
  const logon = message(`35=A|${HEADER}98=0|108=30|553=me|554=secret|`);
  for (const text of [fix.decode(logon), JSON.stringify([...fix.messages(logon)])]) {
    assert.ok(text.includes('***') && !text.includes('secret'), text);
  }
  const invalid = message(`35=A|${HEADER}98=X|108=30|554=secret|`);
  const [answer] = [...fix.messages(invalid)];
  assert.equal(answer.verdict.tag, 98);
  assert.ok(!JSON.stringify(answer).includes('secret'));
  assert.ok(fix.decode(logon, {showPasswords: true}).includes('secret'));
});

test('bytes that are no UTF-8 are shown, and control bytes do nothing', () => {
  const bytes = Buffer.from(message(`${ORDER}58=a?b|`), 'latin1');
  bytes[bytes.indexOf('?')] = 0xff;
  assert.match(fix.decode(bytes), /Text +a\\xffb/);
  assert.match(fix.decode(message(`${ORDER}58=a\x1b[31mb|`)), /Text +a\\x1b\[31mb/);
  const [order] = [...fix.messages(message(`${ORDER}58=a\x1b[2m(BUY)\x1b[0m|`))];
  assert.deepEqual(order.fields.find((field) => field.tag === 58),
                   {tag: 58, name: 'Text', value: 'a\x1b[2m(BUY)\x1b[0m', meaning: ''});
});

test('an order is followed over its replacement', () => {
  const example = readFileSync(process.env.NEXUSFIX_EXAMPLE);
  const [order] = fix.order('A1', example);
  assert.equal(order.events.length, 6);
  assert.equal(order.state.ord_status_name, 'FILLED');
  assert.equal(order.state.leaves_qty, '0');
  assert.deepEqual(order.disagreements,
                   ['AvgPx (6): the report says 190.35, computed is 190.25']);
  assert.deepEqual(fix.order('E4', example), [order]);
  assert.deepEqual(fix.order('nothing', example), []);
  assert.equal(fix.orderText('nothing', example), '');
});

test('a log without messages has no answer', () => {
  for (const log of ['', 'nothing', '8=FIX', new Uint8Array(3_000_000)]) {
    assert.equal(fix.decode(log), '');
    assert.deepEqual([...fix.messages(log)], []);
    assert.deepEqual(fix.order('A1', log), []);
  }
});

test('wrong arguments are refused', () => {
  assert.throws(() => fix.decoder('xml'), /'xml' is none of text summary/);
  assert.throws(() => fix.decode(7), /a log is a string, an ArrayBuffer or a view of one/);
  const decoder = fix.decoder('text');
  assert.deepEqual([...decoder.finish()], []);
  assert.throws(() => [...decoder.feed('a')], /the decoder is finished/);
  decoder.close();
  decoder.close();
  assert.throws(() => [...decoder.feed('a')], /the decoder is closed/);
});

test('a module that is none is refused', async () => {
  await assert.rejects(load(new Uint8Array([1, 2, 3])), WebAssembly.CompileError);
  await assert.rejects(load(new URL('nothing.wasm', PACKAGE)), /nothing\.wasm/);
});

test('a log that is left half read disturbs no later one', () => {
  const many = Buffer.from(message(ORDER).repeat(5000));
  for (let i = 0; i < 5; ++i) {
    for (const one of fix.messages(many)) {
      assert.equal(one.msgType, 'D');
      break;
    }
  }
  assert.equal([...fix.messages(many)].length, 5000);
});

// (module (memory (export "memory") 1) (func (export "_initialize"))
//   (func (export "input") (param i32) (result i32) unreachable))
const STOPPING = Buffer.from(
  '0061736d0100000001090260000060017f017f03030200010503010001072003' + '06'
  + Buffer.from('memory').toString('hex') + '02000b'
  + Buffer.from('_initialize').toString('hex') + '000005'
  + Buffer.from('input').toString('hex') + '0001' + '0a080202000b0300000b', 'hex');

test('a module that stopped says so, and answers nothing any more', async () => {
  const stopped = await load(STOPPING);
  for (let i = 0; i < 2; ++i) {
    assert.throws(() => stopped.decode('a'), (error) => error instanceof NexusfixError
      && error.message.includes('load() another one'));
  }
  assert.equal([...fix.messages(message(ORDER))].length, 1);
});

test('an order is not looked for in more than 1 GiB', () => {
  assert.throws(() => fix.order('A1', new ArrayBuffer((1 << 30) + 1)), /at most 1 GiB of a log/);
});

test('several decoders work side by side', () => {
  const one = fix.decoder('fields');
  const other = fix.decoder('verdicts', {name: 'other'});
  const log = Buffer.from(message(ORDER) + message(ORDER));
  const answers = [...one.feed(log.subarray(0, 100)), ...other.feed(log), ...other.finish(),
                   ...one.feed(log.subarray(100)), ...one.finish()];
  assert.deepEqual(answers.map((answer) => answer.file ?? answer.msgType),
                   ['other', 'other', 'D', 'D']);
  assert.ok(!('verdict' in answers[2]));
  one.close();
  other.close();
});

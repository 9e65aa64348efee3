// The module answers as the command does: for the corpora of the fuzz targets, and for random logs.
// NEXUSFIX_SEED repeats a run. NEXUSFIX_COMMAND, NEXUSFIX_PACKAGE, NEXUSFIX_CORPORA: paths.
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, test} from 'node:test';
import {pathToFileURL} from 'node:url';

const {load} = await import(pathToFileURL(`${process.env.NEXUSFIX_PACKAGE}/index.js`));
const fix = await load();
const folder = mkdtempSync(join(tmpdir(), 'nexusfix-wasm-'));
after(() => rmSync(folder, {recursive: true}));
const SEED = Number(process.env.NEXUSFIX_SEED ?? Date.now() % 1_000_000);
const LOGS = 12;
const MESSAGES = 120;
const SOH = '\x01';

// Mulberry32.
function randomNumbers(seed) {
  let state = seed >>> 0;
  return (end) => {
    state = state + 0x6d2b79f5 >>> 0;
    let mixed = Math.imul(state ^ state >>> 15, state | 1);
    mixed ^= mixed + Math.imul(mixed ^ mixed >>> 7, mixed | 61);
    return ((mixed ^ mixed >>> 14) >>> 0) % end;
  };
}

function command(...words) {
  const done = spawnSync(process.env.NEXUSFIX_COMMAND, words, {maxBuffer: 1 << 30});
  assert.ok(done.status === 0 || done.status === 1, `${words}: ${done.stderr}`);
  return done.stdout.toString();
}

// Without the last line, which counts.
const withoutCounts = (text) => text.slice(0, text.lastIndexOf('\n', text.length - 2) + 1);

function compare(name, log, ids) {
  const path = join(folder, name);
  writeFileSync(path, log);
  const options = {name: path};
  const as = ['--as', 'text', path];
  assert.equal(fix.decode(log), command('decode', ...as), 'decode');
  assert.equal(fix.decode(log, {summary: true}),
               withoutCounts(command('decode', '--summary', ...as)), 'decode --summary');
  assert.equal(fix.explain(log, options), withoutCounts(command('validate', ...as)), 'validate');
  const verdicts = command('validate', '--json', ...as).trimEnd().split('\n');
  assert.deepEqual([...fix.verdicts(log, options)],
                   verdicts.filter((line) => line !== '').map((line) => JSON.parse(line)),
                   'validate --json');
  for (const id of ids) {
    assert.equal(fix.orderText(id, log, options), command('order', id, ...as), `order ${id}`);
    const found = command('order', '--json', id, ...as);
    assert.deepEqual(fix.order(id, log, options), found ? JSON.parse(found).orders : [],
                     `order --json ${id}`);
  }
  // The objects have the words of the text.
  const objects = [...fix.messages(log)];
  const text = fix.decode(log);
  for (const {heading, fields} of objects) {
    assert.ok(text.includes(heading), heading);
    for (const {name: field, meaning} of fields) {
      assert.ok(text.includes(meaning ? `(${meaning})` : field), `${field} ${meaning}`);
    }
  }
  return objects.length;
}

const VERSIONS = ['FIX.4.0', 'FIX.4.1', 'FIX.4.2', 'FIX.4.3', 'FIX.4.4', 'FIXT.1.1', 'FIX.5.0',
                  'FIX.9.9'];
const TYPES = ['D', 'D', '8', '8', '8', 'F', 'G', '9', 'A', '0', '3', 'j', 'W', 'X', 'AE', 'U1'];
const IDS = ['A1', 'A2', 'A3', 'B1'];
const VALUES = {
  11: IDS, 41: IDS, 37: ['O1', 'O2'], 17: ['E1', 'E2', 'E3', '0'], 19: ['E1', 'E9'],
  150: ['0', 'F', '1', '2', '4', '5', '8', 'G', 'H', 'I', 'z'], 39: ['0', '1', '2', '4', 'A'],
  20: ['0', '1', '2', '3'], 54: ['1', '2', '5', 'X', ''], 40: ['1', '2', 'P'],
  55: ['AAPL', 'SAP', 'Z\u00fcrich'], 38: ['100', '80', '0', '1e5', '-7', '100.50'],
  32: ['40', '60', '0'], 31: ['190.25', '11.333333333333333333333', 'x', '0.1'],
  14: ['40', '100', '0'], 151: ['60', '0'], 6: ['190.25', '0', '190.2', '3e2'],
  44: ['190.25', '1', '.5'], 18: ['G 6', '1', 'G', 'G  6'], 60: ['20240115-10:30:00', '2024'],
  58: ['text', 'a\x1b[1mb', '\u20ac', 'a=b', '8=FIX'], 453: ['2', '1', '0', '9'], 448: ['P', 'Q'],
  447: ['D', '?'], 452: ['1', '12', '999'], 98: ['0', '9'], 108: ['30', 'x'], 554: ['secret'],
  1137: ['7', '9', '42'], 1128: ['4', '9', '99'], 95: ['3', '99'], 96: ['a\x01b', 'abc'],
  268: ['1', '2'], 269: ['0', '1'], 270: ['1.5'], 5001: ['own'], 373: ['5'], 45: ['2'],
};
const TAGS = Object.keys(VALUES);
const PREFIXES = ['', '20240115-10:30:00.123 IN : ', '2024-01-15T10:30:00+02:00 sent ', '10:30:01 ',
                  '15 Jan 2024 10:30:00,5 CET [main] ', '1705314600123 > ', '05/06/2024 10:30 '];

function randomMessage(random, number) {
  const pick = (values) => values[random(values.length)];
  const times = ['20240115-10:30:00', '20240115-10:30:00.123456', '20240115-25:00:00', 'now'];
  const header = [['35', pick(TYPES)], ['34', String(number)],
                  ['49', pick(['T', 'V'])], ['52', times[random(20) < 19 ? random(2) : random(4)]],
                  ['56', pick(['T', 'V'])]];
  const body = Array.from({length: random(14)}, () => pick(TAGS)).map(
    (tag) => [tag, pick(VALUES[tag])]);
  const fields = [...header, ...body].map(([tag, value]) => `${tag}=${value}${SOH}`).join('');
  const size = Buffer.byteLength(fields) + (random(40) === 0 ? 1 : 0);
  const whole = `8=${pick(VERSIONS)}${SOH}9=${size}${SOH}${fields}`;
  const sum = Buffer.from(whole).reduce((total, byte) => total + byte, 0) % 256;
  return `${whole}10=${String(sum).padStart(3, '0')}${SOH}`;
}

function randomLog(random) {
  const parts = [];
  const separator = ['', '', '|', '^A', ';'][random(5)];
  for (let number = 1; number <= MESSAGES; ++number) {
    let bytes = Buffer.from(randomMessage(random, number));
    if (random(12) === 0) bytes[random(bytes.length)] = random(256);
    if (random(25) === 0) bytes = bytes.subarray(0, random(bytes.length));
    if (separator) {
      bytes = Buffer.from(bytes.toString('latin1').replaceAll(SOH, separator), 'latin1');
    }
    parts.push(Buffer.from(PREFIXES[random(PREFIXES.length)]), bytes,
               Buffer.from(random(15) === 0 ? '' : '\n'));
  }
  return Buffer.concat(parts);
}

test(`random logs, seed ${SEED}`, () => {
  const random = randomNumbers(SEED);
  let messages = 0;
  for (let i = 0; i < LOGS; ++i) {
    messages += compare(`random-${SEED}-${i}.log`, randomLog(random), [IDS[random(4)], 'O1', 'E2']);
  }
  assert.ok(messages > LOGS * MESSAGES / 2, `${messages} messages`);
});

test('the corpora of the fuzz targets', () => {
  const files = readdirSync(process.env.NEXUSFIX_CORPORA, {recursive: true, withFileTypes: true});
  const wanted = /(frame|parse|validate|explain|log|log_tools|source|group|session)_fuzz/;
  const parts = files.filter((file) => file.isFile()).map(
    (file) => join(file.parentPath ?? file.path, file.name)).filter((path) => wanted.test(path));
  assert.ok(parts.length > 50, `${parts.length} files`);
  const log = Buffer.concat(parts.sort().flatMap((path) => [readFileSync(path),
                                                           Buffer.from('\n')]));
  assert.ok(compare('corpora.log', log, ['A1', '1']) > 50);
});

// Megabytes a second of each answer, in Node.js, for orders and their reports:
//   node speed.mjs PACKAGE [JSPUREFIX]
// PACKAGE: the folder of the npm package. JSPUREFIX: that of jspurefix, which is compared. The
// fastest of nine rounds, in which the cases take turns.
import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {performance} from 'node:perf_hooks';
import {resolve} from 'node:path';
import {pathToFileURL} from 'node:url';

const [folder, other] = process.argv.slice(2).map((path) => resolve(path));
const {load} = await import(pathToFileURL(`${folder}/index.js`));
const example = readFileSync(new URL('../page/example.log', import.meta.url), 'latin1');
const ROUNDS = 9;
const LOG_BYTES = 4 << 20;

// The valid messages of the example, as they are on the wire.
const messages = example.trim().split('\n').slice(0, 6).map(
  (line) => line.slice(line.indexOf('8=FIX')).replaceAll('|', '\x01')).join('');
const log = Buffer.from(messages.repeat(Math.ceil(LOG_BYTES / messages.length)), 'latin1');

function count(values) {
  let number = 0;
  for (const value of values) number += value ? 1 : 0;
  return number;
}

const cases = [];
const measure = (name, run) => cases.push({name, run, best: Infinity});

const fix = await load();
console.log(`Node.js ${process.version}, kernel ${fix.kernel}, ${log.length} bytes of messages`);
measure('decode(): the text of each message', () => fix.decode(log));
measure('messages({validate: false}): objects with names',
        () => count(fix.messages(log, {validate: false})));
measure('messages(): objects with names, validated', () => count(fix.messages(log)));
measure('explain(): validated, text of faults only', () => fix.explain(log));

if (other) {
  const require = createRequire(`${other}/package.json`);
  require('reflect-metadata');
  const {ParseCase, ParseDepth} = require('./dist/benchmark');
  const {SessionContainer} = require('./dist/runtime');
  const {DITokens} = require('./dist/runtime/di-tokens');
  const {DefinitionFactory} = require('./dist/util');
  const container = new SessionContainer();
  container.registerGlobal('error');
  const system = await container.makeSystem(require('./data/session/test-initiator.json'));
  const config = system.resolve(DITokens.IJsFixConfig);
  config.definitions = await new DefinitionFactory().getDefinitions('qf44');
  config.delimiter = 1;
  const contents = log.toString('latin1');
  for (const [name, depth] of [['jspurefix: views', ParseDepth.View],
                               ['jspurefix: objects with names', ParseDepth.Object]]) {
    const parsing = new ParseCase(name, {config, contents, depth});
    parsing.setup();
    measure(name, () => parsing.run(parsing.operationsPerInvocation));
  }
}

for (let round = 0; round <= ROUNDS; ++round) { // the first one warms up
  for (const one of cases) {
    const begin = performance.now();
    one.run();
    if (round > 0) one.best = Math.min(one.best, performance.now() - begin);
  }
}
for (const {name, best} of cases) {
  console.log(`${name.padEnd(48)} ${(log.length / best / 1000).toFixed(1).padStart(6)} MB/s`);
}

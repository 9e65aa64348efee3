// Prints the invalid messages of a log, and the life of an order in it:
//   node decode.mjs messages.log A1
import {readFileSync} from 'node:fs';
import {load} from 'nexusfix';

const [path, id] = process.argv.slice(2);
const log = readFileSync(path);
const fix = await load();

for (const message of fix.messages(log)) {
  console.log(message.heading);
  const side = message.fields.find((field) => field.tag === 54);
  if (side) console.log(`  ${side.name} is ${side.meaning}`);
  if (message.verdict) console.log(message.verdict.text);
}
if (id) console.log(fix.orderText(id, log) || `no order has the identifier ${id}`);

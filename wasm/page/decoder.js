// The page. What is before this text is index.js of the npm package.

const LISTED_AT_ONCE = 200;
const KEPT_MAX = 5000; // messages that are listed; the counts are those of all
const PAUSE_MESSAGES = 500;
const OPENED_MAX = 20; // a log of so few messages is shown in full
const PASTE_SHOWN_MAX = 200_000; // characters of a file that the text area shows
const ORDER_TAGS = new Set([11, 41, 37, 17, 19]);
const EXAMPLE = `@EXAMPLE@`;

const at = (id) => document.getElementById(id);
let fix = null;
let log = new Uint8Array();
let logName = 'log';
let matching = [];
let listed = 0;
let reading = 0; // the number of the last reading: an earlier one stops
let waiting = 0;

function make(name, text, properties = {}) {
  const element = Object.assign(document.createElement(name), properties);
  if (text !== undefined) element.textContent = text;
  return element;
}

function counted(count, one) {
  return `${count.toLocaleString('en')} ${one}${count === 1 ? '' : 's'}`;
}

function fieldRow(field, verdict) {
  const row = make('tr');
  if (verdict && verdict.tag !== 0 && verdict.tag === field.tag) row.className = 'marked';
  const value = make('td');
  if (ORDER_TAGS.has(field.tag) && field.value !== '') {
    const button = make('button', field.value, {className: 'id', type: 'button'});
    button.title = 'Follow this order';
    button.addEventListener('click', () => follow(field.value));
    value.append(button);
  } else {
    value.append(field.value);
  }
  row.append(make('td', field.tag ?? '?'), make('td', field.name || field.text || ''), value,
             make('td', field.meaning, {className: 'meaning'}));
  return row;
}

function fillMessage(details, message) {
  const table = make('table');
  const head = make('tr');
  for (const name of ['tag', 'name', 'value', 'meaning']) {
    head.append(make('th', name, {scope: 'col'}));
  }
  table.append(head);
  for (const field of message.fields) table.append(fieldRow(field, message.verdict));
  if (message.verdict) {
    details.append(make('pre', message.verdict.text, {className: 'verdict', tabIndex: 0}));
  }
  for (const fault of message.faults) {
    details.append(make('p', `! ${fault}`, {className: 'fault'}));
  }
  details.append(table);
}

function messageItem(message) {
  const details = make('details');
  const summary = make('summary');
  if (message.prefix) summary.append(make('span', message.prefix, {className: 'prefix'}));
  summary.append(message.heading);
  if (message.verdict) summary.append(make('span', 'invalid', {className: 'badge'}));
  else if (message.faults.length > 0) {
    summary.append(make('span', 'faulty', {className: 'badge'}));
  }
  details.append(summary);
  details.addEventListener('toggle', () => {
    if (details.open && details.childElementCount === 1) fillMessage(details, message);
  });
  const item = make('li');
  item.append(details);
  return item;
}

function listMore() {
  const next = matching.slice(listed, listed + LISTED_AT_ONCE);
  const items = next.map(messageItem);
  at('list').append(...items);
  listed += next.length;
  at('more').hidden = listed >= matching.length;
  return items;
}

function isWanted(message, words, onlyInvalid) {
  if (onlyInvalid && !message.verdict && message.faults.length === 0) return false;
  if (words === '') return true;
  const has = (text) => text.toLowerCase().includes(words);
  return has(message.prefix + message.heading) || message.fields.some(
    (field) => has(`${field.tag}=${field.value}`) || has(`${field.name}=${field.value}`)
      || has(field.meaning));
}

const pause = () => new Promise((resolve) => setTimeout(resolve, 0));

// Reads the whole log, in slices, so that the page answers meanwhile.
async function read() {
  const mine = ++reading;
  const words = at('filter').value.trim().toLowerCase();
  const onlyInvalid = at('invalid').checked;
  const found = [];
  let matches = 0;
  let messages = 0;
  const decoder = fix.decoder('messages', {showPasswords: at('passwords').checked});
  const answers = function* () {
    yield* decoder.feed(log);
    yield* decoder.finish();
  };
  try {
    for (const message of answers()) {
      if (isWanted(message, words, onlyInvalid)) {
        ++matches;
        if (found.length < KEPT_MAX) found.push(message);
      }
      if (++messages % PAUSE_MESSAGES === 0) {
        at('status').textContent = `${counted(messages, 'message')} …`;
        await pause();
        if (mine !== reading) return;
      }
    }
    show(found, matches, decoder.counts);
  } catch (error) {
    at('status').textContent = `! ${error.message}`;
    fix = await load(unpack());
  } finally {
    decoder.close();
  }
}

function show(found, matches, counts) {
  matching = found;
  listed = 0;
  at('list').replaceChildren();
  const items = listMore();
  const hasMessages = counts.messages > 0;
  at('messages').hidden = at('order').hidden = !hasMessages;
  if (log.length === 0) {
    at('status').textContent = 'Ready. Paste a log, or drop a file anywhere on the page.';
  } else if (!hasMessages) {
    at('status').textContent = 'No message: nothing begins with 8=FIX.';
  } else {
    const skipped = counts.skipped > 0 ? `, ${counts.skipped.toLocaleString('en')} skipped` : '';
    at('status').textContent =
      `${counted(counts.messages, 'message')}, ${counts.faulty} faulty, ${counts.invalid} invalid`
      + skipped;
  }
  at('shown').textContent = matches > found.length
    ? `The first ${counted(found.length, 'message')} of ${matches.toLocaleString('en')}`
    : matches < counts.messages ? counted(matches, 'message') : '';
  items.forEach((item, index) => {
    const isFaulty = item.querySelector('.badge') !== null;
    const isShort = items.length <= OPENED_MAX && (isFaulty || index === 0);
    if (isShort) item.firstElementChild.open = true;
  });
}

function follow(id) {
  at('order-id').value = id;
  const text = fix.orderText(id, log, {name: logName});
  const story = make('pre', undefined, {tabIndex: 0});
  for (const line of (text || `No order has the identifier ${id}.`).split('\n')) {
    story.append(make('span', line, {className: /^\s*!/.test(line) ? 'fault' : ''}));
  }
  at('story').replaceChildren(story);
  at('story').focus({preventScroll: true});
  at('order').scrollIntoView({block: 'start'});
}

function readLater() {
  clearTimeout(waiting);
  waiting = setTimeout(read, 200);
}

function takeText() {
  log = new TextEncoder().encode(at('log').value);
  logName = 'log';
  at('story').replaceChildren();
  readLater();
}

async function takeFile(file) {
  try {
    log = new Uint8Array(await file.arrayBuffer());
  } catch (error) { // of 2 GB or more, or gone meanwhile
    at('status').textContent = `! ${file.name} cannot be read: ${error.message}`;
    return;
  }
  logName = file.name;
  at('story').replaceChildren();
  const text = new TextDecoder().decode(log.subarray(0, PASTE_SHOWN_MAX));
  at('log').value = log.length > PASTE_SHOWN_MAX ? '' : text;
  await read();
  if (log.length > PASTE_SHOWN_MAX) at('status').textContent += ` in ${file.name}`;
}

// The module is in the page, compressed.
function unpack() {
  const packed = Uint8Array.from(atob(at('module').textContent), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(stream).arrayBuffer();
}

function listen() {
  at('log').addEventListener('input', takeText);
  at('file').addEventListener('change', (event) => {
    if (event.target.files[0]) takeFile(event.target.files[0]);
    event.target.value = '';
  });
  at('example').addEventListener('click', () => {
    at('log').value = EXAMPLE;
    takeText();
  });
  at('clear').addEventListener('click', () => {
    at('log').value = at('filter').value = at('order-id').value = '';
    at('invalid').checked = false;
    takeText();
    at('log').focus();
  });
  at('passwords').addEventListener('change', read);
  at('invalid').addEventListener('change', read);
  at('filter').addEventListener('input', readLater);
  at('more').addEventListener('click', () => {
    listMore()[0]?.querySelector('summary').focus();
  });
  at('order-form').addEventListener('submit', (event) => {
    event.preventDefault();
    follow(at('order-id').value.trim());
  });
  for (const name of ['dragenter', 'dragover', 'dragleave', 'drop']) {
    document.addEventListener(name, (event) => {
      event.preventDefault();
      at('log').classList.toggle('over', name === 'dragenter' || name === 'dragover');
      if (name === 'drop' && event.dataTransfer.files[0]) takeFile(event.dataTransfer.files[0]);
    });
  }
}

try {
  fix = await load(unpack());
  listen();
  if (at('log').value) takeText(); else await read();
} catch (error) {
  at('status').textContent = `! ${error.message}`;
}

// NexusFIX in JavaScript: index.d.ts describes every name.

const ANSWERS = {text: 0, summary: 1, verdicts: 2, faults: 3, messages: 4, fields: 5};
const COUNTS = ['messages', 'faulty', 'invalid', 'skipped'];
const SHOWS_PASSWORDS = 1;
const CHUNK_BYTES = 1 << 20;
const MESSAGES_AT_ONCE = 1000;
// The module has the log twice while it looks for an order, and WebAssembly has 4 GB.
const ORDER_LOG_BYTES_MAX = 1 << 30;
const BAD_DESCRIPTOR = 8; // of WASI: errno badf

export class NexusfixError extends Error {
  name = 'NexusfixError';
}

// The system that the module's C library asks for. It has no file, no environment and no network.
function systemOf(memory) {
  const store = (...values) => {
    const view = new DataView(memory().buffer);
    for (const [at, value] of values) view.setUint32(at, value, true);
    return 0;
  };
  const system = {
    environ_sizes_get: (count, size) => store([count, 0], [size, 0]),
    environ_get: () => 0,
    proc_exit: (status) => {
      throw new NexusfixError(`the module ended with status ${status}`);
    },
  };
  return new Proxy(system, {get: (known, name) => known[name] ?? (() => BAD_DESCRIPTOR)});
}

async function compile(source) {
  let given = await source;
  if (given instanceof WebAssembly.Module) return given;
  given ??= new URL('./nexusfix.wasm', import.meta.url);
  if (typeof given === 'string' || given instanceof URL) {
    const url = new URL(given, import.meta.url);
    if (url.protocol === 'file:' && globalThis.process?.versions?.node) {
      const {readFile} = await import('node:fs/promises');
      given = await readFile(url);
    } else {
      given = await fetch(url);
    }
  }
  if (typeof Response !== 'undefined' && given instanceof Response) {
    if (!given.ok) throw new NexusfixError(`${given.url}: status ${given.status}`);
    given = await given.arrayBuffer();
  }
  return WebAssembly.compile(given);
}

export async function load(source) {
  const compiled = await compile(source);
  let exports;
  const system = systemOf(() => exports.memory);
  const imports = {};
  for (const {module, name} of WebAssembly.Module.imports(compiled)) {
    (imports[module] ??= {})[name] = system[name];
  }
  exports = (await WebAssembly.instantiate(compiled, imports)).exports;
  exports._initialize();
  return new Nexusfix(exports);
}

const encoder = new TextEncoder();
const textDecoder = new TextDecoder('utf-8', {ignoreBOM: true});

function bytesOf(log) {
  if (typeof log === 'string') return encoder.encode(log);
  if (log instanceof ArrayBuffer) return new Uint8Array(log);
  if (ArrayBuffer.isView(log)) return new Uint8Array(log.buffer, log.byteOffset, log.byteLength);
  throw new TypeError('a log is a string, an ArrayBuffer or a view of one');
}

class Module {
  #exports;
  #failure = null;

  constructor(exports) {
    this.#exports = exports;
  }

  // After a trap the memory of the module may be in any state.
  call(name, ...values) {
    if (this.#failure) throw this.#failure;
    try {
      return this.#exports[name](...values);
    } catch (error) {
      this.#failure = new NexusfixError(
        'the module stopped, most likely because its memory is full: load() another one', {
          cause: error,
        });
      throw this.#failure;
    }
  }

  get hasStopped() {
    return this.#failure !== null;
  }

  input(...parts) {
    const size = parts.reduce((sum, part) => sum + part.length, 0);
    let at = this.call('input', size) >>> 0;
    const memory = new Uint8Array(this.#exports.memory.buffer);
    for (const part of parts) {
      memory.set(part, at);
      at += part.length;
    }
  }

  output() {
    const at = this.call('output') >>> 0;
    const size = this.call('output_size') >>> 0;
    return textDecoder.decode(new Uint8Array(this.#exports.memory.buffer, at, size));
  }
}

const linesOf = (text) => JSON.parse(`[${text.slice(0, -1).replaceAll('\n', ',')}]`);

// Fields are four values each: the tag, or the text before `=`; the number of the name; the value;
// the number of the meaning.
function messageOf(words, [offset, prefix, heading, msgType, parts, faults, verdict]) {
  const fields = [];
  for (let i = 0; i < parts.length; i += 4) {
    const tag = parts[i];
    const name = words[parts[i + 1]];
    const value = parts[i + 2];
    const meaning = words[parts[i + 3]];
    fields.push(typeof tag === 'number' ? {tag, name, value, meaning}
                                        : {tag: null, text: tag, name, value, meaning});
  }
  const message = {offset, prefix, heading, msgType, fields, faults};
  if (verdict !== undefined) message.verdict = verdict;
  return message;
}

export class Decoder {
  #module;
  #handle;
  #kind;
  #words = [];
  #isFinished = false;

  constructor(module, answer, {name = 'log', showPasswords = false} = {}) {
    const number = ANSWERS[answer];
    if (number === undefined) {
      throw new TypeError(`'${answer}' is none of ${Object.keys(ANSWERS).join(' ')}`);
    }
    this.#module = module;
    this.#kind = answer;
    module.input(encoder.encode(name));
    this.#handle = module.call('decoder_open', number, showPasswords ? SHOWS_PASSWORDS : 0);
  }

  * feed(chunk) {
    const bytes = bytesOf(chunk);
    for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
      yield* this.#answers(bytes.subarray(at, at + CHUNK_BYTES), false);
    }
  }

  * finish() {
    if (this.#isFinished) return;
    yield* this.#answers(new Uint8Array(), true);
  }

  #answers(bytes, isLast) {
    if (this.#handle === 0) throw new NexusfixError('the decoder is closed');
    if (this.#isFinished) throw new NexusfixError('the decoder is finished');
    this.#isFinished = isLast;
    this.#module.input(bytes);
    this.#module.call('decoder_feed', this.#handle, isLast ? 1 : 0);
    return this.#taken();
  }

  * #taken() {
    while (this.#handle !== 0 &&
           this.#module.call('decoder_take', this.#handle, MESSAGES_AT_ONCE) > 0) {
      const text = this.#module.output();
      if (this.#kind === 'messages' || this.#kind === 'fields') {
        yield* this.#messages(text);
      } else if (this.#kind === 'verdicts') {
        yield* linesOf(text);
      } else {
        yield text;
      }
    }
  }

  // A line is a word, which has the next number, or a message.
  * #messages(text) {
    for (const line of linesOf(text)) {
      if (typeof line === 'string') this.#words.push(line);
      else yield messageOf(this.#words, line);
    }
  }

  get counts() {
    return Object.fromEntries(COUNTS.map(
      (name, which) => [name, this.#module.call('decoder_count', this.#handle, which)]));
  }

  close() {
    if (this.#handle !== 0 && !this.#module.hasStopped) {
      this.#module.call('decoder_close', this.#handle);
    }
    this.#handle = 0;
  }
}

export class Nexusfix {
  #module;

  constructor(exports) {
    this.#module = new Module(exports);
  }

  decoder(answer, options) {
    return new Decoder(this.#module, answer, options);
  }

  * #answers(answer, log, options) {
    const decoder = this.decoder(answer, options);
    try {
      yield* decoder.feed(log);
      yield* decoder.finish();
    } finally {
      decoder.close();
    }
  }

  decode(log, {summary = false, ...options} = {}) {
    return [...this.#answers(summary ? 'summary' : 'text', log, options)].join('');
  }

  messages(log, {validate = true, ...options} = {}) {
    return this.#answers(validate ? 'messages' : 'fields', log, options);
  }

  verdicts(log, options) {
    return this.#answers('verdicts', log, options);
  }

  explain(log, options) {
    return [...this.#answers('faults', log, options)].join('');
  }

  #order(id, log, name, isJson) {
    const bytes = bytesOf(log);
    if (bytes.length > ORDER_LOG_BYTES_MAX) {
      throw new NexusfixError('an order is looked for in at most 1 GiB of a log');
    }
    const idBytes = encoder.encode(id);
    const nameBytes = encoder.encode(name);
    this.#module.input(idBytes, nameBytes, bytes);
    this.#module.call('order', idBytes.length, nameBytes.length, isJson ? 1 : 0);
    return this.#module.output();
  }

  order(id, log, {name = 'log'} = {}) {
    const text = this.#order(id, log, name, true);
    return text === '' ? [] : JSON.parse(text).orders;
  }

  orderText(id, log, {name = 'log'} = {}) {
    return this.#order(id, log, name, false);
  }

  get kernel() {
    this.#module.call('kernel');
    return this.#module.output();
  }
}

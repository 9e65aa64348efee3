// The events that wait for an iterator, and why there are no more.
export class EventQueue {
  #max;
  #events = [];
  #waiting = [];
  #end = null;

  constructor(max) {
    this.#max = max;
  }

  // Whether the event was taken: false if the queue is full.
  put(event) {
    const waiting = this.#waiting.shift();
    if (waiting) waiting.resolve({ done: false, value: event });
    else if (this.#events.length >= this.#max) return false;
    else this.#events.push(event);
    return true;
  }

  // Iterators get the events that wait, and then this error.
  end(error) {
    this.#end = error;
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }

  next() {
    if (this.#events.length > 0) {
      return Promise.resolve({ done: false, value: this.#events.shift() });
    }
    if (this.#end) return Promise.reject(this.#end);
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }
}

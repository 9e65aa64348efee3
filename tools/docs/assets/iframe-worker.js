// A browser starts no worker for a page that is opened as a file. The search then runs in a frame,
// which has what the theme's worker needs: importScripts(), postMessage() and message events.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(script) {
      super();
      this.queue = [];  // messages that come before the frame has loaded the script
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.append(this.frame);
      const inside = this.frame.contentWindow;
      inside.document.write("<!doctype html><body>");
      inside.document.close();
      const load = (source) => new Promise((resolve, reject) => {
        const element = inside.document.createElement("script");
        element.src = new URL(source, location.href);
        element.onload = resolve;
        element.onerror = reject;
        inside.document.body.append(element);
      });
      inside.importScripts = (...sources) =>
        sources.reduce((loaded, source) => loaded.then(() => load(source)), Promise.resolve());
      inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", {data}));
      load(script).then(() => {
        const queue = this.queue;
        this.queue = null;
        queue.forEach((data) => this.postMessage(data));
      });
    }

    postMessage(data) {
      if (this.queue) {
        this.queue.push(data);
      } else {
        const inside = this.frame.contentWindow;
        inside.dispatchEvent(new inside.MessageEvent("message", {data}));
      }
    }

    terminate() {
      this.frame.remove();
    }
  };
}

import { createConnection } from "node:net";
import { Client } from "./client.js";
import { openWebSocket } from "./web_socket.js";

export * from "./parts.js";

function open(path, onBytes, onEnd) {
  return new Promise((resolve, reject) => {
    const socket = createConnection(path);
    let error = new Error("the connection has ended");
    socket.on("connect", () => resolve({ write: (bytes) => socket.write(bytes),
                                         end: () => socket.destroy() }));
    socket.on("data", onBytes);
    socket.on("error", (cause) => { error = cause; });
    socket.on("close", () => { reject(error); onEnd(error); });
  });
}

// Node 22 has a WebSocket; before it, the package ws has one.
async function webSocketClass() {
  if (globalThis.WebSocket) return globalThis.WebSocket;
  try {
    return (await import("ws")).WebSocket;
  } catch {
    throw new Error(`Node ${process.versions.node} has no WebSocket: npm install ws`);
  }
}

// Attaches at the gateway's Unix socket, or at its WebSocket if there is a url.
export async function attach({ socket, url, WebSocket, ...options }) {
  if ((socket === undefined) === (url === undefined)) {
    throw new TypeError("attach() needs either socket or url");
  }
  if (url === undefined) {
    return Client.attach(options, (onBytes, onEnd) => open(socket, onBytes, onEnd));
  }
  const found = WebSocket ?? await webSocketClass();
  return Client.attach(options, (onBytes, onEnd) => openWebSocket(found, url, onBytes, onEnd));
}

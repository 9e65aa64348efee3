import { Client } from "./client.js";
import { openWebSocket } from "./web_socket.js";

export * from "./parts.js";

// Attaches at the gateway's WebSocket.
export function attach({ url, WebSocket = globalThis.WebSocket, ...options }) {
  return Client.attach(options,
                       (onBytes, onEnd) => openWebSocket(WebSocket, url, onBytes, onEnd));
}

import { createConnection } from "node:net";
import { Client } from "./client.js";

export { Client } from "./client.js";
export { ClosedError, CloseCode, FieldError, NotSentError, RefusedError, RefuseCode }
  from "./errors.js";
export { booleanField, dataField, decimalField, Group, integerField, namedField, textField,
         timeField } from "./field.js";
export { Fields, Message } from "./message.js";

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

// Attaches at the gateway's Unix socket.
export function attach({ socket, ...options }) {
  return Client.attach(options, (onBytes, onEnd) => open(socket, onBytes, onEnd));
}

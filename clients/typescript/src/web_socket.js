// Frames as binary messages of a WebSocket, in a browser and in Node.
import { badFrame } from "./frame.js";
import { ClosedError } from "./errors.js";

const CLOSE_CODE_BEGIN = 4000; // docs/reference/gateway-json.md
const CLOSE_CODE_END = 4100;

// The gateway writes text if it ends the connection before the Hello.
function closedByText(text) {
  try {
    const { type, code, reason } = JSON.parse(text);
    if (type === "closed") return new ClosedError(code, reason);
  } catch {
    // It is no JSON.
  }
  return badFrame("the gateway has sent text");
}

// A Promise of {write, end}, as Client.attach() wants it. WebSocketClass has the interface of a
// browser's WebSocket.
export function openWebSocket(WebSocketClass, url, onBytes, onEnd) {
  return new Promise((resolve, reject) => {
    const socket = new WebSocketClass(url);
    socket.binaryType = "arraybuffer";
    socket.onopen = () => resolve({ write: (bytes) => socket.send(bytes),
                                    end: () => socket.close() });
    socket.onmessage = ({ data }) => {
      if (typeof data === "string") onEnd(closedByText(data));
      else onBytes(new Uint8Array(data));
    };
    const end = (error) => {
      reject(error);
      onEnd(error);
    };
    // A browser says close after it, with the code. Node 20 does not if nothing listens there.
    socket.onerror = () => setTimeout(end, 0, new Error(`no WebSocket at ${url}`));
    socket.onclose = ({ code, reason }) => {
      const isOfGateway = code >= CLOSE_CODE_BEGIN && code < CLOSE_CODE_END;
      end(isOfGateway ? new ClosedError(code - CLOSE_CODE_BEGIN, reason)
                      : new Error(`the WebSocket has ended with code ${code}`));
    };
  });
}

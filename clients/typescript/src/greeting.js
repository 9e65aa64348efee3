import { badFrame } from "./frame.js";

const HELLO_BYTES_MAX = 64 << 10;
const SESSION = /^(\d+) (\d+) (\d+) (\d+) (on|off) (.+)$/;

export function writeHello(name, token, cursors) {
  const lines = [`name=${name}`, `token=${token}`, "in-order=1"];
  for (const { session, epoch, msgSeqNum, ofSent } of cursors) {
    lines.push(`${ofSent ? "sent" : "cursor"}=${epoch} ${msgSeqNum} ${session}`);
  }
  const wrong = lines.find((line) => line.includes("\n"));
  if (wrong !== undefined) throw new RangeError(`a line feed in ${JSON.stringify(wrong)}`);
  const body = new TextEncoder().encode(lines.join("\n") + "\n");
  if (body.length > HELLO_BYTES_MAX) {
    throw new RangeError(`the cursors need ${body.length} bytes, ${HELLO_BYTES_MAX} at most`);
  }
  return body;
}

// Ignores lines of keys that this client does not know.
export function readWelcome(frame) {
  const welcome = { gateway: "", role: "", sessions: [], lastAccepted: frame.number };
  for (const line of new TextDecoder().decode(frame.body).split("\n")) {
    const at = line.indexOf("=");
    const [key, value] = [line.slice(0, at), line.slice(at + 1)];
    if (key === "gateway" || key === "role") welcome[key] = value;
    if (key !== "session") continue;
    const found = SESSION.exec(value);
    if (!found || Number(found[1]) !== welcome.sessions.length) {
      throw badFrame(`the Welcome has the line ${JSON.stringify(line)}`);
    }
    const epoch = Number(found[2]);
    welcome.sessions.push({
      name: found[6], loggedOn: found[5] === "on",
      received: { epoch, msgSeqNum: Number(found[3]) },
      sent: { epoch, msgSeqNum: Number(found[4]) },
    });
  }
  return welcome;
}

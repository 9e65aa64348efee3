// Attaches and prints all that happens, for clients/tests/conformance.py:
// SOCKET_OR_URL NAME TOKEN [EPOCH MSGSEQNUM SESSION]; then lines "send SESSION CLORDID" or "end".
import { createInterface } from "node:readline";
import { attach, ClosedError, Message, NotSentError, RefusedError } from "nexusfix-gateway";
import * as fix44 from "../fix44.js";

const [place, name, token, epoch, msgSeqNum, session] = process.argv.slice(2);
const say = (...words) => console.log(words.join(" "));
const code = (error) => (error instanceof ClosedError ? error.code : 0);
const cursors = session ? [{ session, epoch: Number(epoch), msgSeqNum: Number(msgSeqNum) }] : [];

function print(event) {
  if (event.kind === "state") {
    say("state", event.loggedOn ? "on" : "off", event.epoch, event.session);
  } else if (event.kind === "refused") {
    say("refused", event.error.number, event.error.code);
  } else if (event.kind === "message") {
    const message = Message.parse(event.bytes);
    say("message", event.epoch, event.msgSeqNum, Number(event.fromJournal), Number(event.ofSent),
        message.msgType, message.get(fix44.ClOrdID) ?? "-", event.session);
  } else {
    say(event.kind.toLowerCase());
  }
}

async function send(client, to, id) {
  const order = new Message(fix44.NewOrderSingle)
    .set(fix44.ClOrdID, id).set(fix44.Symbol, "AAPL").set(fix44.Side, fix44.Side.Buy)
    .set(fix44.TransactTime, new Date()).set(fix44.OrderQty, 100)
    .set(fix44.OrdType, fix44.OrdType.Limit).set(fix44.Price, "150.25");
  try {
    const accepted = await client.send(to, order);
    say("accepted", accepted.number, accepted.epoch, accepted.msgSeqNum,
        Number(accepted.duplicate));
  } catch (error) {
    if (error instanceof RefusedError) say("refused", error.number, error.code);
    else say(error instanceof NotSentError ? "notsent" : "failed");
  }
}

const input = createInterface({ input: process.stdin });
try {
  const where = place.startsWith("ws:") ? { url: place } : { socket: place };
  const client = await attach({ ...where, name, token, cursors, retryMinMs: 10 });
  say("attached", client.role, client.lastAccepted);
  input.on("line", (line) => {
    const words = line.split(" ");
    if (words[0] === "end") client.close();
    else send(client, words[1], words[2]);
  });
  input.on("close", () => client.close());
  try {
    for await (const event of client) print(event);
  } catch (error) {
    say("ended", code(error));
  }
} catch (error) {
  say("error", code(error));
}
input.close();
process.stdin.destroy();

// Sends an order by a gateway and prints the report: node order.js SOCKET_OR_URL NAME TOKEN
import { attach, Message } from "nexusfix-gateway";
import * as fix44 from "../fix44.js";

const [place, name, token] = process.argv.slice(2);
if (!token) {
  console.error("usage: node order.js SOCKET_OR_URL NAME TOKEN");
  process.exit(2);
}
function order() {
  return new Message(fix44.NewOrderSingle)
    .set(fix44.ClOrdID, `TS${Date.now()}`)
    .set(fix44.Symbol, "AAPL")
    .set(fix44.Side, fix44.Side.Buy)
    .set(fix44.TransactTime, new Date())
    .set(fix44.OrderQty, 100)
    .set(fix44.OrdType, fix44.OrdType.Limit)
    .set(fix44.Price, "150.25");
}

async function trade() {
  const where = /^wss?:/.test(place) ? { url: place } : { socket: place };
  const client = await attach({ ...where, name, token });
  try {
    const [session] = client.sessions;
    if (session.loggedOn) await client.send(session.name, order());
    for await (const event of client) {
      if (event.kind === "state" && event.loggedOn) await client.send(session.name, order());
      if (event.kind !== "message") continue;
      const report = Message.parse(event.bytes);
      console.log(`OrderID ${report.get(fix44.OrderID)}, OrdStatus ${report.get(fix44.OrdStatus)}`);
      break; // a real program stores event.cursor with the report
    }
  } finally {
    client.close();
  }
}

try {
  await trade();
} catch (error) {
  console.error(`order: ${error.message}`);
  process.exitCode = 1;
}

// What the compiler accepts and refuses. tsc alone reads it.
import { attach, Message } from "nexusfix-gateway";
import * as fix44 from "../fix44.js";

const client = await attach({ socket: "gateway.sock", name: "desk", token: "secret" });
const order = new Message(fix44.NewOrderSingle)
  .set(fix44.Side, fix44.Side.Buy)
  .set(fix44.OrderQty, 100)
  .set(fix44.Price, "150.25")
  .set(fix44.SolicitedFlag, true)
  .set(fix44.EncodedText, new Uint8Array([1]))
  .set(fix44.TransactTime, new Date());
const accepted = await client.send(client.sessions[0].name, order);
const number: number = accepted.number;
for await (const event of client) {
  if (event.kind === "message") {
    const price: string | undefined = Message.parse(event.bytes).get(fix44.Price);
    const parties = Message.parse(event.bytes).entries(fix44.NoPartyIDs);
    const id: string | undefined = parties[0].get(fix44.PartyID);
    // @ts-expect-error: a price is an exact text
    const wrong: number | undefined = Message.parse(event.bytes).get(fix44.Price);
  }
  // @ts-expect-error: only a message has bytes
  event.bytes;
}
// @ts-expect-error: a time is a Date
order.set(fix44.TransactTime, "20260115-10:30:00");
// @ts-expect-error: a flag is a boolean
order.set(fix44.SolicitedFlag, "Y");

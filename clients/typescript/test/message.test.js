import assert from "node:assert/strict";
import test from "node:test";
import { FieldError, Message } from "nexusfix-gateway";
import * as fix44 from "../fix44.js";

const bytes = (text) => new TextEncoder().encode(text.replaceAll("|", "\x01"));
const text = (from) => new TextDecoder().decode(from).replaceAll("\x01", "|");

test("typed fields are written in their order", () => {
  const order = new Message(fix44.NewOrderSingle)
    .set(fix44.ClOrdID, "A1").set(fix44.Side, fix44.Side.SellShort).set(fix44.Price, "-0.05")
    .set(fix44.TransactTime, new Date("2026-01-15T10:30:00.005Z"))
    .set(fix44.SolicitedFlag, true).set(fix44.EncodedText, bytes("a|b")).set(fix44.OrderQty, 100)
    .set(fix44.ClOrdID, "A2");
  assert.equal(text(order.bytes()),
    "35=D|11=A2|54=5|44=-0.05|60=20260115-10:30:00.005|377=Y|354=3|355=a|b|38=100|");
});

test("a value that cannot be sent is named by its tag", () => {
  const order = new Message(fix44.NewOrderSingle);
  for (const [field, value] of [[fix44.ClOrdID, ""], [fix44.ClOrdID, "a\x01b"],
                                [fix44.Price, 1e-7], [fix44.Price, "1e5"], [fix44.Price, NaN],
                                [fix44.MsgSeqNum, 1.5]]) {
    assert.throws(() => order.set(field, value),
                  (error) => error instanceof FieldError && error.tag === field.tag);
  }
});

test("a message is read by type", () => {
  const report = Message.parse(bytes(
    "8=FIX.4.4|9=5|35=8|14=100.50|377=X|354=3|355=a|b|60=20260115-10:30:00.123456|54=5|10=0|"));
  assert.equal(report.msgType, fix44.ExecutionReport);
  assert.equal(report.get(fix44.CumQty), "100.50");
  assert.equal(text(report.get(fix44.EncodedText)), "a|b");
  assert.equal(report.get(fix44.TransactTime).toISOString(), "2026-01-15T10:30:00.123Z");
  assert.equal(report.get(fix44.Side), fix44.Side.SellShort);
  assert.equal(report.get(fix44.Price), undefined);
  assert.throws(() => report.get(fix44.SolicitedFlag), FieldError);
});

test("a group is written in the dictionary's order and read again", () => {
  const order = new Message(fix44.NewOrderSingle);
  for (const id of ["DESK7", "FUND9"]) {
    const party = order.add(fix44.NoPartyIDs).set(fix44.PartyRole, fix44.PartyRole.ClientId);
    party.add(fix44.NoPartySubIDs).set(fix44.PartySubID, `S${id}`);
    party.set(fix44.PartyID, id);
  }
  order.set(fix44.Symbol, "AAPL");
  const want = "35=D|453=2|448=DESK7|452=3|802=1|523=SDESK7|448=FUND9|452=3|802=1|523=SFUND9|" +
               "55=AAPL|";
  assert.equal(text(order.bytes()), want);
  const parties = Message.parse(bytes(want)).entries(fix44.NoPartyIDs);
  assert.equal(parties.length, 2);
  assert.equal(parties[1].entries(fix44.NoPartySubIDs)[0].get(fix44.PartySubID), "SFUND9");
  assert.throws(() => Message.parse(bytes("35=D|453=3|448=X|")).entries(fix44.NoPartyIDs),
                FieldError);
});

test("bytes that are no message are refused", () => {
  for (const wrong of ["", "55=A|", "35=D", "35=D|x=1|", "35=D|=1|", "35=D|1|", "35=D|354=9|355=a|",
                       "35=D|354=-1|355=a|", "35=D|0=1|", "35=D|354=9999999999|355=a|"]) {
    assert.throws(() => Message.parse(bytes(wrong)), RangeError, wrong);
  }
});

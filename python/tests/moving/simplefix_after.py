import sys
from decimal import Decimal

import nexusfix
from nexusfix import fix44

order = fix44.NewOrderSingle(
    SenderCompID="ME", TargetCompID="YOU", MsgSeqNum=7, SendingTime="20260115-10:30:00.000",
    ClOrdID="A1", Symbol="AAPL", Side=fix44.Side.BUY, OrderQty=100, Price=Decimal("150.25"),
    NoPartyIDs=[{"PartyID": party, "PartyRole": fix44.PartyRole.EXECUTING_FIRM}
                for party in ("DESK", "BANK")])

stream = nexusfix.Stream()
received = bytes(order)
assert not stream.feed(received[:50])
[message] = stream.feed(received[50:])
print(message["ClOrdID"], message["Side"], message["Price"])
print([party["PartyID"] for party in message["NoPartyIDs"]])
sys.stdout.buffer.write(received)

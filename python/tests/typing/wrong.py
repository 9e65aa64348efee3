"""Each line marked `wrong` is an error for a type checker."""

import nexusfix
from nexusfix import fix44

fix44.NewOrderSingle(ClOrdId="A1")  # wrong
fix44.NewOrderSingle(OrderQty=1.5)  # wrong
fix44.NewOrderSingle(NoPartyIDs=[{"PartyId": "P"}])  # wrong
fix44.NewOrderSingle("A1")  # wrong
fix44.Side.BOUGHT  # wrong
nexusfix.latencies(1)  # wrong
nexusfix.orders("a.log", progress=lambda rows: None)  # wrong

"""Each line marked `wrong` is an error for a type checker."""

import nexusfix
from nexusfix import fix44, gateway

fix44.NewOrderSingle(ClOrdId="A1")  # wrong
fix44.NewOrderSingle(OrderQty=1.5)  # wrong
fix44.NewOrderSingle(NoPartyIDs=[{"PartyId": "P"}])  # wrong
fix44.NewOrderSingle("A1")  # wrong
fix44.Side.BOUGHT  # wrong
nexusfix.latencies(1)  # wrong
nexusfix.orders("a.log", progress=lambda rows: None)  # wrong
nexusfix.Initiator(7)  # wrong
nexusfix.Initiator("client.cfg", on_mesage=print)  # wrong


async def trade(client: nexusfix.Initiator) -> None:
    await client.send(b"8=FIX.4.4")  # wrong


async def attach(client: gateway.Client) -> None:
    await client.send("FIX.4.4:ME->V", "35=D")  # wrong
    await client.send(order=b"35=D")  # wrong
    gateway.Client("gateway.sock", "desk1", cursor=[])  # wrong

"""Deribit: subscribes to a book and sends one order after the Logon, prints what comes, and ends
when the order is done. Usage: example.py client.cfg deribit.xml"""
import asyncio
import sys
import time
from decimal import Decimal

import nexusfix


async def trade(configuration, dictionary):
    venue = nexusfix.load_dictionary(dictionary)
    async with nexusfix.Initiator(configuration) as session:
        # Bids (0) and offers (1): a snapshot, and then the changes (263=1).
        await session.send(venue.MarketDataRequest(
            MDReqID="book-1", SubscriptionRequestType="1", MarketDepth=0,
            NoMDEntryTypes=[{"MDEntryType": "0"}, {"MDEntryType": "1"}],
            NoRelatedSym=[{"Symbol": "BTC-PERPETUAL"}]))
        # OrderQty is in contracts. Reports have our ClOrdID in OrigClOrdID.
        await session.send(venue.NewOrderSingle(
            ClOrdID=f"d-{time.time_ns() // 1_000_000}", OrderQty=Decimal(10), OrdType="2",
            Price=Decimal(50010), Side="1", Symbol="BTC-PERPETUAL", TimeInForce="1"))
        async for message in session:
            print(message.name, message.get("OrdStatus", ""), message.get("Text", ""))
            if str(message.get("OrdStatus", "")) in ("2", "4", "8", "C") or message.msg_type == "3":
                return


asyncio.run(trade(*sys.argv[1:]))

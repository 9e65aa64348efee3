"""Bybit Spot: sends one order after the Logon, prints its reports, and ends when the
order is done. Usage: example.py client.cfg order-entry.xml"""
import asyncio
import sys
import time
from decimal import Decimal

import nexusfix


async def trade(configuration, dictionary):
    venue = nexusfix.load_dictionary(dictionary)
    async with nexusfix.Initiator(configuration) as session:
        # Category is spot: the venue has no other one in FIX.
        await session.send(venue.NewOrderSingle(
            Category="spot", ClOrdID=f"d-{time.time_ns() // 1_000}", OrderQty=Decimal("0.5"),
            OrdType="2", Price=Decimal(50010), Side="1", Symbol="BTCUSDT", TimeInForce="1"))
        async for message in session:
            print(message.name, message.get("OrdStatus", ""), message.get("Text", ""))
            if str(message.get("OrdStatus", "")) in ("2", "4", "8", "F") or message.msg_type == "3":
                return


asyncio.run(trade(*sys.argv[1:]))

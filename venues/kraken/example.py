"""Kraken Spot: sends one order after the Logon, prints its reports, and ends when the
order is done. Usage: example.py client.cfg trading.xml"""
import asyncio
import sys
import time
from decimal import Decimal

import nexusfix


async def trade(configuration, dictionary):
    venue = nexusfix.load_dictionary(dictionary)
    async with nexusfix.Initiator(configuration) as session:
        # ClOrdID is a number that grows, or a UUID.
        await session.send(venue.NewOrderSingle(
            ClOrdID=str(time.time_ns() // 1_000), OrderQty=Decimal("0.5"), OrdType="2",
            Price=Decimal(50010), Side="1", Symbol="BTC/USD", TimeInForce="1"))
        async for message in session:
            print(message.name, message.get("OrdStatus", ""), message.get("Text", ""))
            if str(message.get("OrdStatus", "")) in ("2", "4", "8", "C") or message.msg_type == "3":
                return


asyncio.run(trade(*sys.argv[1:]))

"""LMAX-style FX: sends one order after the Logon, prints its reports, and ends when the
order is done. Usage: example.py client.cfg trading.xml"""
import asyncio
import sys
import time
from datetime import datetime, timezone
from decimal import Decimal

import nexusfix


async def trade(configuration, dictionary):
    venue = nexusfix.load_dictionary(dictionary)
    async with nexusfix.Initiator(configuration) as session:
        # 4001 is EUR/USD: SecurityIDSource 8 says that the number is the venue's.
        await session.send(venue.NewOrderSingle(
            ClOrdID=f"L{time.time_ns() // 1_000}", SecurityID="4001", SecurityIDSource="8",
            Side="1", TransactTime=datetime.now(timezone.utc), OrderQty=Decimal(10), OrdType="2",
            Price=Decimal("1.1716"), TimeInForce="3"))
        async for message in session:
            print(message.name, message.get("OrdStatus", ""), message.get("Text", ""))
            if str(message.get("OrdStatus", "")) in ("2", "4", "8", "C") or message.msg_type == "3":
                return


asyncio.run(trade(*sys.argv[1:]))

import asyncio
import sys
from datetime import datetime, timezone

import nexusfix
from nexusfix import fix44


def fields_of_logon(session):
    return {"Username": "me"}


async def main():
    async with nexusfix.Initiator(sys.argv[1], logon=fields_of_logon) as trader:
        await trader.send(fix44.NewOrderSingle(
            ClOrdID="A1", Symbol="AAPL", Side=fix44.Side.BUY, OrderQty=100,
            TransactTime=datetime.now(timezone.utc), OrdType=fix44.OrdType.MARKET))
        async for report in trader:
            print(report["ClOrdID"], report["OrdStatus"])
            break


asyncio.run(main())

"""Sends an order by a gateway and prints the report: gateway_order.py SOCKET NAME TOKEN"""

import asyncio
import sys
import time
from datetime import datetime, timezone
from decimal import Decimal

from nexusfix import fix44, gateway


async def main(socket: str, name: str, token: str) -> None:
    async with gateway.Client(socket, name, token) as client:
        session = next(iter(client.sessions))
        await client.logged_on(session)
        accepted = await client.send(session, fix44.NewOrderSingle(
            ClOrdID=f"PY{time.time_ns()}", Symbol="AAPL", Side=fix44.Side.BUY, OrderQty=100,
            OrdType=fix44.OrdType.LIMIT, Price=Decimal("150.25"),
            TransactTime=datetime.now(timezone.utc)))
        print(f"MsgSeqNum {accepted.msg_seq_num}")
        async for event in client:
            match event:
                case gateway.Received(message=report):
                    print(f"OrderID {report['OrderID']}, OrdStatus {report['OrdStatus'].name}")
                    break  # a real program stores event.cursor with the report
                case gateway.Detached(reason=reason):
                    print(f"detached: {reason}")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit("usage: gateway_order.py SOCKET NAME TOKEN")
    try:
        asyncio.run(main(*sys.argv[1:]))
    except gateway.GatewayError as error:
        sys.exit(f"gateway_order: {error}")

"""A client of `nexusfix gateway`, which holds the FIX sessions: sends and receives by asyncio.

    async with gateway.Client("gateway.sock", "desk1", token) as client:
        await client.logged_on("FIX.4.4:DESK->VENUE")
        accepted = await client.send("FIX.4.4:DESK->VENUE", fix44.NewOrderSingle(ClOrdID="A1", ...))
        async for event in client:
            match event:
                case gateway.Received(message=report):
                    print(report["OrdStatus"], event.cursor)

docs/guide/python-gateway.md shows it, docs/reference/gateway-protocol.md has the bytes.

>>> import asyncio
>>> async def main():
...     async with Client("/absent/gateway.sock", "desk1", "a token"):
...         pass
>>> asyncio.run(main())
Traceback (most recent call last):
...
nexusfix.gateway.errors.AttachError: no gateway at /absent/gateway.sock: No such file or directory
"""

from nexusfix.gateway.client import Client
from nexusfix.gateway.errors import (AttachError, CloseCode, ClosedError, DetachedError,
                                     GatewayError, NotSentError, RefuseCode, RefusedError)
from nexusfix.gateway.events import (Accepted, CaughtUp, Cursor, Detached, Event, Reattached,
                                     Received, Refused, Session, StateChanged)

__all__ = ["Accepted", "AttachError", "CaughtUp", "Client", "CloseCode", "ClosedError", "Cursor",
           "Detached", "DetachedError", "Event", "GatewayError", "NotSentError", "Reattached",
           "Received", "RefuseCode", "Refused", "RefusedError", "Session", "StateChanged"]

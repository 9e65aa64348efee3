"""Attaches and prints all that happens, for clients/tests/conformance.py:

    conformance_client.py SOCKET NAME TOKEN [EPOCH MSGSEQNUM SESSION]

Each line of its input is "send SESSION CLORDID".
"""

import asyncio
import sys
from datetime import datetime, timezone
from decimal import Decimal

from nexusfix import fix44, gateway


def say(*words):
    print(*(int(word) if isinstance(word, bool) else word for word in words), flush=True)


def say_event(event):
    match event:
        case gateway.Received():
            message = event.message
            say("message", event.epoch, event.msg_seq_num, event.is_from_journal, event.is_of_sent,
                message.msg_type, message.get("ClOrdID", "-"), event.session)
        case gateway.StateChanged():
            say("state", "on" if event.is_logged_on else "off", event.epoch, event.session)
        case gateway.Refused():
            say("refused", event.number, int(event.code))
        case gateway.CaughtUp() | gateway.Detached() | gateway.Reattached():
            say(type(event).__name__.lower())


def say_answer(answer):
    if answer.cancelled():
        return
    match answer.exception():
        case None:
            accepted = answer.result()
            say("accepted", accepted.number, accepted.epoch, accepted.msg_seq_num,
                accepted.is_duplicate)
        case gateway.RefusedError() as refused:
            say("refused", refused.number, int(refused.code))
        case error:
            say("failed", error)


async def read(client):
    while line := await asyncio.to_thread(sys.stdin.readline):
        _, session, cl_ord_id = line.split()
        order = fix44.NewOrderSingle(
            ClOrdID=cl_ord_id, Symbol="AAPL", Side=fix44.Side.BUY, OrderQty=100,
            OrdType=fix44.OrdType.LIMIT, Price=Decimal("150.25"),
            TransactTime=datetime.now(timezone.utc))
        try:
            client.send(session, order).add_done_callback(say_answer)
        except gateway.GatewayError:
            say("notsent")
    await client.close()


async def main(socket, name, token, epoch=None, msg_seq_num=None, session=None):
    cursors = [] if session is None else [gateway.Cursor(session, int(epoch), int(msg_seq_num))]
    client = gateway.Client(socket, name, token, cursors=cursors, retry_seconds=(0.01, 5.0))
    try:
        async with client:
            say("attached", client.role, client.last_accepted)
            reader = asyncio.create_task(read(client))
            async for event in client:
                say_event(event)
            await reader
    except gateway.ClosedError as error:
        say("ended" if client.role else "error", int(error.code))
    except gateway.AttachError:
        say("error", 0)
    else:
        say("ended", int(gateway.CloseCode.CLIENT_ENDS))


asyncio.run(main(*sys.argv[1:]))

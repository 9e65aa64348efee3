"""Has no error for mypy --strict and pyright in strict mode."""

from datetime import datetime, timezone
from decimal import Decimal

import nexusfix
from nexusfix import fix44, fix50sp2, gateway

order: nexusfix.Message = fix44.NewOrderSingle(
    ClOrdID="A1", Side=fix44.Side.BUY, OrderQty=100, Price=Decimal("150.25"),
    TransactTime=datetime.now(timezone.utc),
    NoPartyIDs=[{"PartyID": "P1", "PartyRole": fix44.PartyRole.EXECUTING_FIRM}])
for tag, value in order.items():
    print(tag, value)
stream = nexusfix.Stream(max_message_bytes=1 << 16)
names: list[str] = [message.name for message in stream.feed(bytes(order))]
problem = order.problem(AllowUnknownMsgFields=True)
rule: str | None = None if problem is None else problem.rule
side: type[fix50sp2.Side] = fix50sp2.Side
log: nexusfix.Log = nexusfix.read_log("fix.log", "MsgType=8", ["Symbol", 44], names=True)
read: int = log.rows_read
lives: nexusfix.Log = nexusfix.orders(["a.log", "b.log"], progress=lambda rows, size: None)
gaps: nexusfix.Log = nexusfix.gaps("fix.log", "SenderCompID=T", dictionary=fix44.dictionary)


def on_message(session: nexusfix.Session, message: nexusfix.Message) -> None:
    print(session.id, message.name)


async def logon(session: nexusfix.Session) -> dict[str, str]:
    return {"Username": session.sender_comp_id}


async def trade() -> None:
    async with nexusfix.Initiator("client.cfg", logon=logon, waiting_bytes_max=1 << 20) as client:
        sent: nexusfix.Sent = await client.send(order)
        number: int = sent.msg_seq_num
        async for message in client:
            print(number, message.msg_type)
    async with nexusfix.Acceptor({"SocketAcceptPort": 0}, on_message=on_message) as venue:
        for session in venue.sessions.values():
            session.send(order)


async def attach() -> None:
    cursors = [gateway.Cursor("FIX.4.4:ME->V", 1, 7)]
    async with gateway.Client("gateway.sock", "desk1", "token", cursors=cursors) as client:
        accepted: gateway.Accepted = await client.send("FIX.4.4:ME->V", order, number=7)
        async for event in client:
            match event:
                case gateway.Received(message=report, cursor=cursor):
                    print(accepted.number, report.name, cursor.msg_seq_num)
                case gateway.StateChanged(is_logged_on=True, session=session):
                    await client.send(session, bytes(order))
                case gateway.Refused(code=gateway.RefuseCode.RESET, number=number):
                    print(number + 1)
                case _:
                    break

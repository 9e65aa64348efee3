import sys
import threading

import quickfix as fix


class Trader(fix.Application):
    def __init__(self):
        super().__init__()
        self.done = threading.Event()

    def onCreate(self, session):
        pass

    def onLogon(self, session):
        order = fix.Message()
        order.getHeader().setField(fix.MsgType(fix.MsgType_NewOrderSingle))
        order.setField(fix.ClOrdID("A1"))
        order.setField(fix.Symbol("AAPL"))
        order.setField(fix.Side(fix.Side_BUY))
        order.setField(fix.TransactTime())
        order.setField(fix.OrderQty(100))
        order.setField(fix.OrdType(fix.OrdType_MARKET))
        fix.Session.sendToTarget(order, session)

    def onLogout(self, session):
        pass

    def toAdmin(self, message, session):
        msg_type = fix.MsgType()
        message.getHeader().getField(msg_type)
        if msg_type.getValue() == fix.MsgType_Logon:
            message.setField(fix.Username("me"))

    def fromAdmin(self, message, session):
        pass

    def toApp(self, message, session):
        pass

    def fromApp(self, message, session):
        order, status = fix.ClOrdID(), fix.OrdStatus()
        message.getField(order)
        message.getField(status)
        print(order.getValue(), status.getValue(), flush=True)
        self.done.set()


trader = Trader()
settings = fix.SessionSettings(sys.argv[1])
initiator = fix.SocketInitiator(trader, fix.FileStoreFactory(settings), settings)
initiator.start()
trader.done.wait(20)
initiator.stop()

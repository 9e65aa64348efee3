"""What venues_command_test.py and python/tests/kits_test.py expect of each kit."""

# endpoints: the client's configuration, a script of `nexusfix connect`, and texts that it prints.
# signature: what the venue answers to another key. key: the client's file. example, python: what
# the examples print. arguments: more of the examples.
KITS = {
    "binance": {
        "endpoints": {
            "order-entry": ("client.cfg", """
send 35=D|11=A1|38=0.5|40=2|44=49000|54=1|55=BTCUSDT|59=1
expect 35=8 11=A1 39=0 636=Y
send 35=F|11=A2|41=A1|55=BTCUSDT
expect 35=8 11=A2 41=A1 39=4
send 35=F|11=A3|41=ZZ|55=BTCUSDT
expect 35=9 11=A3 434=1
send 35=D|11=A4|38=1|40=2|44=1|54=1|55=NOSUCH
send 35=D|11=A5|38=1|40=2|44=1|54=1|55=BTCUSDT|59=4
expect 35=8 11=A5 39=8
send 35=D|11=A6|38=1|40=2|44=40000|54=1|55=BTCUSDT
expect 35=8 11=A6 39=0
send 35=q|11=A7|55=BTCUSDT|530=1
expect 35=8 39=4
expect 35=r 11=A7 533=1
send 35=XLQ|6136=Q1
expect 35=XLR 6136=Q1 25006=10000
""", ["Invalid symbol.", "58=FILL_OR_KILL is not simulated."]),
            "drop-copy": ("drop-copy.cfg", """
expect 35=8 11=earlier-1 39=2
send 35=D|11=A1|38=1|40=2|44=1|54=1|55=BTCUSDT
""", ["Requested operation is not allowed in DropCopy sessions."]),
            "market-data": ("market-data.cfg", """
send 35=x|320=I1|559=4
expect 35=y 320=I1 146=2
send 35=V|262=R1|263=1|264=10|146=1|55=BTCUSDT|267=2|269=0|269=1
expect 35=W 262=R1 55=BTCUSDT 268=2
expect 35=X 262=R1 279=1
""", []),
        },
        "signature": "Signature for this request is not valid.",
        "key": "client.pem",
        "dictionary": "order-entry.xml",
        "example": r"report 35=8 39=0(.*\n)*.*39=2 14=0.5",
        "python": r"ExecutionReport(.*\n)*ExecutionReport .*2",
    },
    "bybit": {
        "endpoints": {
            "order-entry": ("client.cfg", """
send 35=D|30010=spot|11=A1|38=0.5|40=2|44=49000|54=1|55=BTCUSDT|59=1
expect 35=8 11=A1 150=0 39=0 30010=spot
send 35=F|30010=spot|11=A1|55=BTCUSDT
expect 35=XCA 11=A1 150=6 39=6
expect 35=8 11=A1 39=4
send 35=F|30010=spot|11=A1|55=BTCUSDT
expect 35=XCA 103=170213
send 35=D|30010=spot|11=A2|38=0.5|40=2|44=50010|54=1|55=BTCUSDT
expect 35=8 11=A2 39=0
expect 35=8 11=A2 39=2 30050=1 30052=0.5 30053=50010
send 35=D|30010=spot|11=A3|38=0.5|40=2|44=1|54=1|55=BTCUSDT|59=P
expect 35=8 11=A3 39=8
send 35=D|30010=linear|11=A4|38=0.5|40=2|44=1|54=1|55=BTCUSDT
expect 35=j
""", ["58=Post only is not simulated", "Category (30010) must be spot"]),
        },
        "signature": "Invalid signature",
        "key": "client.pem",
        "dictionary": "order-entry.xml",
        "example": r"report 35=8 39=0(.*\n)*.*39=2 14=0.5",
        "python": r"ExecutionReport(.*\n)*ExecutionReport .*2",
    },
    "deribit": {
        "endpoints": {
            "api": ("client.cfg", """
send 35=x|320=I1|559=4
expect 35=y 320=I1 146=2
send 35=D|11=A1|38=10|44=49000|54=1|55=BTC-PERPETUAL
expect 35=8 41=A1 39=0 231=10
send 35=D|11=A2|38=10|44=49000|54=1|55=NOSUCH
send 35=D|11=A3|38=10|40=2|44=50010|54=1|55=BTC-PERPETUAL
expect 35=8 41=A3 39=0
expect 35=8 41=A3 39=2 31=50010
send 35=F|11=A4|41=A1
expect 35=8 39=4
send 35=F|11=A5|41=ZZ
expect 35=9 11=A5
send 35=V|262=R1|263=1|264=0|267=2|269=0|269=1|146=1|55=ETH-PERPETUAL
expect 35=W 262=R1 55=ETH-PERPETUAL
""", ["wrong Symbol"]),
        },
        "signature": "invalid_credentials",
        "key": "client.secret",
        "dictionary": "deribit.xml",
        "example": r"message 35=W(.*\n)*.*report 35=8 39=0(.*\n)*.*39=2 14=10",
        "python": r"MarketDataSnapshotFullRefresh(.*\n)*ExecutionReport(.*\n)*ExecutionReport .*2",
    },
    "kraken": {
        "endpoints": {
            "trading": ("client.cfg", """
send 35=D|11=1001|38=0.5|40=2|44=49000|54=1|55=BTC/USD|59=1|60=now
expect 35=8 11=1001 150=0 39=0
send 35=F|11=1002|41=1001|55=BTC/USD|54=1|60=now
expect 35=8 11=1002 39=4
send 35=D|11=A-1|38=0.5|40=2|44=49000|54=1|55=BTC/USD|60=now
send 35=D|11=1003|38=0.5|40=3|99=1|54=1|55=BTC/USD|60=now
expect 35=8 11=1003 39=8
""", ["ClOrdID (11) is no number and no UUID", "58=This order type is not simulated"]),
            "market-data": ("market-data.cfg", """
send 35=V|262=R1|263=1|264=10|267=2|269=0|269=1|146=1|55=BTC/USD
expect 35=W 262=R1 55=BTC/USD 268=2
expect 35=X 262=R1 279=1
""", []),
        },
        "signature": "Invalid credentials",
        "key": "client.secret",
        "dictionary": "trading.xml",
        "example": r"report 35=8 39=0(.*\n)*.*39=2 14=0.5",
        "python": r"ExecutionReport(.*\n)*ExecutionReport .*2",
    },
    "lmax": {
        "endpoints": {
            "trading": ("client.cfg", """
send 35=D|11=A1|48=4001|22=8|54=1|60=now|38=10|40=2|44=1.1000|59=0
expect 35=8 11=A1 48=4001 22=8 150=0 39=0 527=0
send 35=H|11=A1|48=4001|22=8|54=1
expect 35=8 11=A1 150=I 39=0 151=10
send 35=G|11=A2|41=A1|48=4001|22=8|54=1|60=now|38=20|40=2|44=1.1001|59=0
expect 35=8 11=A2 41=A1 150=5
send 35=F|11=A3|41=A2|48=4001|22=8|54=1|60=now|38=20
expect 35=8 11=A3 39=4
send 35=F|11=A4|41=ZZ|48=4001|22=8|54=1|60=now|38=20
expect 35=9 11=A4 434=1
send 35=D|11=A5|48=99999|22=8|54=1|60=now|38=10|40=1|59=3
expect 35=8 11=A5 48=99999 39=8 103=1 54=7 37=0
send 35=D|11=A6|48=EURUSD|22=8|54=1|60=now|38=10|40=1|59=3
send 35=D|11=A7|48=4002|22=8|54=2|60=now|38=10|40=1|59=3
expect 35=8 11=A7 39=0
expect 35=8 11=A7 39=2 32=10 31=1.3401
send 35=H|11=ZZ|48=4001|22=8|54=1
expect 35=8 11=ZZ 39=8
""", ["58=INSTRUMENT_DOES_NOT_EXIST", "Required: Base10-encoded 64-bit integer"]),
            "market-data": ("market-data.cfg", """
send 35=V|262=R1|263=1|264=1|265=0|267=2|269=0|269=1|146=1|48=4001|22=8
expect 35=W 262=R1 48=4001 22=8 268=2
expect 35=W 262=R1 48=4001 22=8 268=2 271=200
send 35=V|262=R2|263=0|264=0|265=0|267=2|269=0|269=1|146=1|48=4001|22=8
expect 35=W 262=R2 268=4
send 35=V|262=R3|263=1|264=1|265=0|267=2|269=0|269=1|146=1|48=7|22=8
expect 35=Y 262=R3 281=0
""", ["58=INSTRUMENT_DOES_NOT_EXIST"]),
        },
        "signature": None,
        "key": None,
        "dictionary": "trading.xml",
        "example": r"report 35=8 39=0(.*\n)*.*39=2 14=10",
        "python": r"ExecutionReport(.*\n)*ExecutionReport .*2",
    },
    "coinbase": {
        "endpoints": {
            "order-entry": ("client.cfg", """
send 35=D|11=A1|38=0.5|40=2|44=49000|54=1|55=BTC-USD|59=1|60=now
expect 35=8 11=A1 150=0 39=0
send 35=G|11=A2|41=A1|38=0.6|40=2|44=49001|54=1|55=BTC-USD|60=now
expect 35=8 11=A2 41=A1 150=5
send 35=F|11=A3|41=A2|55=BTC-USD|54=1|60=now
expect 35=8 11=A3 39=4
send 35=D|11=A4|38=0.5|40=2|44=49000|54=1|55=NOSUCH|60=now
expect 35=8 11=A4 39=8
""", ["58=Unknown product"]),
            "drop-copy": ("drop-copy.cfg", """
expect 35=8 11=earlier-1 39=2
send 35=D|11=A1|38=1|40=2|44=1|54=1|55=BTC-USD|60=now
expect 35=j
""", []),
            "market-data": ("market-data.cfg", """
send 35=x|320=I1|559=4
expect 35=y 320=I1 146=2 1682=full_trading
send 35=V|262=R1|263=1|146=1|55=BTC-USD
expect 35=W 262=R1 55=BTC-USD 83=0 893=Y 268=2 278=1
expect 35=X 262=R1 268=1 279=1 278=1 83=1 271=4 58=CHANGE_REASON_MODIFY_ORDER
expect 35=X 262=R1 268=1 279=1 278=1 83=2 271=2
send 35=V|262=R1|263=1|146=1|55=ETH-USD
wait 35=Y 262=R1 281=1
send 35=V|262=R2|263=1|146=2|55=ETH-USD|55=NOSUCH
wait 35=Y 262=R2 281=0
send 35=V|262=R3|263=1|146=2|55=BTC-USD|55=ETH-USD
wait 35=W 262=R3 55=ETH-USD 268=2
send 35=V|262=R4|263=2|146=1|55=BTC-USD
send 35=V|262=R5|263=1|146=1|55=BTC-USD
wait 35=W 262=R5 55=BTC-USD
send 35=D|11=A1|38=1|40=2|44=1|54=1|55=BTC-USD|60=now
""", ["58=Duplicate MDReqID", "58=Unknown product", "Reject received: Invalid MsgType"]),
        },
        "signature": "Invalid signature",
        "key": "client.secret",
        "dictionary": "coinbase.xml",
        "example": r"report 35=8 39=0(.*\n)*.*39=2 14=0.5",
        "python": r"ExecutionReport(.*\n)*ExecutionReport .*2",
    },
    "cme-dropcopy": {
        "endpoints": {
            "drop-copy": ("client.cfg", """
expect 35=n
expect 35=n
expect 35=n
expect 35=n
send 35=D|11=A1|21=1|38=1|40=2|44=1|54=1|55=ES|60=now
""", ["213=<RTRF>8=FIX.4.2|9=", "|39=0|", "|39=1|", "|39=2|", "|39=4|", "|</RTRF>",
      "Reject received: Invalid MsgType"]),
        },
        "signature": "Invalid logon. Logout forced.",
        "key": "client.secret",
        "dictionary": "drop-copy.xml",
        "arguments": ["4"],
        "example": r"copy 35=8 .*39=0(.*\n)*.*39=2 14=10(.*\n)*.*39=4",
        "python": r"ExecutionReport XYZ777N 9001 .*(.*\n)*ExecutionReport XYZ777N 9002",
    },
}

# Kit, endpoint, and the example whose program takes its messages.
CERTIFIED = (("binance", "drop-copy", "cme-dropcopy"), ("coinbase", "drop-copy", "cme-dropcopy"),
             ("coinbase", "market-data", "coinbase_book"))

#!/usr/bin/env python3
"""A FIX 4.2 and a FIX 5.0SP2 counterparty on the two sides of the bridge, each in both roles:
12_bridge_test.py EXAMPLE NEXUSFIX."""

from counterparty import Client, Example, main

ORDER = "55=AAPL|54=1|60=now|38=100|40=2|44=10.5"
TAIL = "55=AAPL|54=1|38=100|44=10.5"


def orders_of_42_come_back_as_42(old, new):
    old.send(f"35=D|11=A1|21=2|{ORDER}|59=0|58=hello")
    new.expect("8=FIXT.1.1|35=D|1128=|11=A1|21=2|55=AAPL|54=1|38=100|40=2|44=10.5|59=0|58=hello")
    new.send(f"35=8|37=O1|11=A1|17=E1|150=0|39=0|{TAIL}|151=100|14=0")
    old.expect("8=FIX.4.2|35=8|37=O1|11=A1|17=E1|20=0|150=0|39=0|151=100|14=0|6=0")
    new.send(f"35=8|37=O1|11=A1|17=E2|150=F|39=1|{TAIL}|32=40|31=10.25|151=60|14=40|6=10.25")
    old.expect("35=8|17=E2|20=0|150=1|39=1|32=40|31=10.25|151=60|14=40|6=10.25")
    new.send(f"35=8|37=O1|11=A1|17=E3|150=F|39=2|{TAIL}|32=60|31=10.5|151=0|14=100|6=10.4")
    old.expect("35=8|17=E3|20=0|150=2|39=2|151=0")
    new.send(f"35=8|37=O1|11=A1|17=E4|19=E3|150=H|39=1|{TAIL}|151=60|14=40|6=10.25")
    old.expect("35=8|17=E4|20=1|19=E3|150=1|39=1")
    new.send(f"35=8|37=O1|11=A1|17=E5|150=I|39=1|{TAIL}|151=60|14=40|6=10.25")
    old.expect("35=8|17=E5|20=3|150=1|39=1")
    new.send(f"35=8|37=O1|11=A1|17=E6|150=5|39=1|{TAIL}|151=60|14=40|6=10.25")
    old.expect("35=8|17=E6|20=0|150=5|39=5")
    new.send(f"35=8|37=NONE|11=A0|17=E7|150=8|39=8|103=99|{TAIL}|151=0|14=0|58=why not")
    old.expect("35=8|17=E7|20=0|150=8|39=8|103=0|58=why not")
    old.send("35=F|41=A1|11=A2|55=AAPL|54=1|60=now")
    new.expect("35=F|41=A1|11=A2|55=AAPL|54=1")
    new.send("35=9|37=O1|11=A2|41=A1|39=1|434=1|102=99|58=no")
    old.expect("35=9|37=O1|11=A2|41=A1|39=1|434=1|102=2|58=no")


def orders_of_50_come_back_as_50(old, new):
    new.send(f"35=D|11=B1|{ORDER}")
    old.expect("8=FIX.4.2|35=D|11=B1|21=1|55=AAPL|54=1|38=100|40=2|44=10.5")
    old.send(f"35=8|37=P1|11=B1|17=F1|20=0|150=1|39=1|{TAIL}|32=40|31=10.25|151=60|14=40|6=10.25")
    new.expect("8=FIXT.1.1|35=8|20=|17=F1|150=F|39=1|32=40|31=10.25|151=60|14=40|6=10.25")
    old.send(f"35=8|37=P1|11=B1|17=F2|20=0|150=2|39=2|{TAIL}|32=60|31=10.5|151=0|14=100|6=10.4")
    new.expect("35=8|17=F2|150=F|39=2")
    old.send(f"35=8|37=P1|11=B1|17=F3|20=2|19=F2|150=1|39=1|{TAIL}|151=50|14=50|6=10.2")
    new.expect("35=8|17=F3|19=F2|150=G|39=1")
    for exec_id, leaves, cum, status in (("F4", 50, 50, 1), ("F5", 100, 0, 0), ("F6", 0, 50, 2)):
        old.send(f"35=8|37=P1|11=B1|17={exec_id}|20=0|150=5|39=5|{TAIL}|151={leaves}|14={cum}|6=9")
        new.expect(f"35=8|17={exec_id}|150=5|39={status}|151={leaves}|14={cum}")
    new.send("35=F|41=B1|11=B2|55=AAPL|54=1|60=now")
    old.expect("35=F|41=B1|11=B2|55=AAPL|54=1")
    old.send("35=9|37=P1|11=B2|41=B1|39=2|434=1|102=0")
    new.expect("35=9|37=P1|11=B2|41=B1|39=2|434=1|102=0")


def replacements_of_42_keep_the_chain_of_their_order(old, new):
    old.send("35=G|37=O1|41=A1|11=A4|1=ACC|21=2|55=AAPL|54=1|60=now|38=200|40=2|44=11|59=0")
    new.expect("8=FIXT.1.1|35=G|37=O1|41=A1|11=A4|1=ACC|21=2|55=AAPL|54=1|38=200|40=2|44=11|59=0")
    new.send(f"35=8|37=O1|11=A4|41=A1|17=E10|150=E|39=E|{TAIL}|151=60|14=40|6=10.25")
    old.expect("35=8|37=O1|11=A4|41=A1|17=E10|20=0|150=E|39=E")
    new.send(f"35=8|37=O1|11=A4|41=A1|17=E11|150=5|39=1|{TAIL}|151=160|14=40|6=10.25")
    old.expect("35=8|37=O1|11=A4|41=A1|17=E11|20=0|150=5|39=5|151=160|14=40")
    # A replaced order has its new ClOrdID; the venue no longer knows the old one.
    old.send("35=G|41=A1|11=A5|21=1|55=AAPL|54=1|60=now|38=300|40=2|44=11")
    new.expect("35=G|37=|41=A1|11=A5|38=300")
    new.send("35=9|37=NONE|11=A5|41=A1|39=8|434=2|102=1|58=unknown")
    old.expect("35=9|37=NONE|11=A5|41=A1|39=8|434=2|102=1|58=unknown")
    old.send("35=G|41=A4|11=A6|21=1|55=AAPL|54=1|60=now|38=300|40=2|44=11|15=USD")
    old.expect("35=j|58=the bridge does not carry tag 15|372=G|379=A6|380=0")


def replacements_of_50_keep_the_chain_of_their_order(old, new):
    new.send("35=G|37=P1|41=B1|11=B6|55=AAPL|54=1|60=now|38=200|40=4|44=11|99=10.9|58=more")
    old.expect("8=FIX.4.2|35=G|37=P1|41=B1|11=B6|21=1|55=AAPL|54=1|38=200|40=4|44=11|99=10.9|"
               "58=more")
    old.send(f"35=8|37=P1|11=B6|41=B1|17=F7|20=0|150=5|39=5|{TAIL}|151=150|14=50|6=10.2")
    new.expect("35=8|20=|37=P1|11=B6|41=B1|17=F7|150=5|39=1|151=150|14=50")
    new.send("35=G|41=B6|11=B7|55=AAPL|54=1|60=now|38=10|40=2|44=11")
    old.expect("35=G|41=B6|11=B7")
    old.send("35=9|37=P1|11=B7|41=B6|39=1|434=2|102=0|58=too late")
    new.expect("35=9|37=P1|11=B7|41=B6|39=1|434=2|102=0|58=too late")
    new.send("35=G|37=P1|11=B8|55=AAPL|54=1|60=now|38=10|40=2|44=11")
    new.expect("35=j|58=FIX 4.2 needs tag 41|372=G|380=5")
    new.send("35=F|37=P1|11=B9|55=AAPL|54=1|60=now")
    new.expect("35=j|58=FIX 4.2 needs tag 41|372=F|380=5")


def what_the_other_version_lacks_is_rejected(old, new):
    new.send(f"35=D|11=B3|{ORDER}|59=8")  # TimeInForce AtCrossing
    new.expect("35=j|372=D|380=0")
    new.send(f"35=D|11=B4|{ORDER}|110=5")  # MinQty
    new.expect("35=j|58=the bridge does not carry tag 110|372=D|379=B4|380=0")
    new.send("35=8|37=O1|17=E8|150=L|39=0|55=AAPL|54=1|151=1|14=0")
    new.expect("35=j|372=8|380=0")
    old.send("35=D|11=A3|21=1|55=AAPL|54=1|60=now|38=1|40=5")  # OrdType MarketOnClose
    new.expect("35=D|11=A3|40=5")


def answers_wait_for_who_is_away_and_orders_do_not(nexusfix, folder, port, new):
    new.send("35=8|37=O1|11=A1|17=E9|150=0|39=0|55=AAPL|54=1|151=1|14=0")
    new.send(f"35=D|11=B5|{ORDER}")
    new.expect("35=j|58=the other side is not logged on|372=D|379=B5|380=4")
    with Client(nexusfix, folder, port, "OLD", "BRIDGE", "FIX.4.2") as old:
        old.expect("35=8|43=Y|17=E9|20=0|150=0")


def test(program, nexusfix, folder):
    further = "DefaultApplVerID=FIX.5.0SP2"
    with Example(program, "12_bridge.cfg", folder) as bridge, \
         Client(nexusfix, folder, bridge.port, "NEW", "BRIDGE", "FIXT.1.1", further) as new:
        with Client(nexusfix, folder, bridge.port, "OLD", "BRIDGE", "FIX.4.2") as old:
            orders_of_42_come_back_as_42(old, new)
            orders_of_50_come_back_as_50(old, new)
            replacements_of_42_keep_the_chain_of_their_order(old, new)
            replacements_of_50_keep_the_chain_of_their_order(old, new)
            what_the_other_version_lacks_is_rejected(old, new)
            old.quit()
        answers_wait_for_who_is_away_and_orders_do_not(nexusfix, folder, bridge.port, new)


if __name__ == "__main__":
    main(test)

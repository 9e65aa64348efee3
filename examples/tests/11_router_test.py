#!/usr/bin/env python3
"""Two clients, the router, and the venue of `nexusfix serve`: EXAMPLE NEXUSFIX."""

import signal

from counterparty import Client, Example, Process, main

CONFIG = "11_router.cfg"
VENUE = """[DEFAULT]
ConnectionType=acceptor
SocketAcceptHost=127.0.0.1
SocketAcceptPort={port}
FileStorePath={store}
[SESSION]
BeginString=FIX.4.4
SenderCompID=VENUE
TargetCompID=ROUTER
"""


def serve(nexusfix, folder, port=0):
    path = folder / "venue.cfg"
    path.write_text(VENUE.format(port=port, store=folder / "venue"), encoding="utf-8")
    venue = Process([nexusfix, "serve", path])
    venue.port = int(venue.wait_for(r"listening on port (\d+)")[1])
    return venue


def order(cl_ord_id, side, quantity, price):
    return f"35=D|11={cl_ord_id}|55=AAPL|54={side}|38={quantity}|40=2|44={price}|60=now"


def test(program, nexusfix, folder):
    venue = serve(nexusfix, folder)
    with Example(program, CONFIG, folder, connect_port=venue.port) as router, venue, \
         Client(nexusfix, folder, router.port, "ALICE", "ROUTER") as alice, \
         Client(nexusfix, folder, router.port, "BOB", "ROUTER") as bob:
        router.wait_for("ROUTER->VENUE logged on")
        alice.send(order("A1", 1, 100, "10.5"))
        alice.expect("35=8|11=A1|150=0|39=0")
        bob.send(order("A1", 2, 40, "10.5"))  # the same ClOrdID of two clients is two orders
        bob.expect("35=8|11=A1|150=0|39=0")
        bob.expect("35=8|11=A1|150=F|39=2|32=40|31=10.5")
        alice.expect("35=8|11=A1|150=F|39=1|151=60")
        alice.send(order("A1", 1, 1, "1"))
        alice.expect("35=8|11=A1|150=8|103=6")
        alice.send("35=G|11=G1|41=A1|55=AAPL|54=1|38=90|40=2|44=10.25|60=now")
        alice.expect("35=8|11=G1|41=A1|150=5")
        alice.send("35=F|11=F1|41=NEVER|55=AAPL|54=1|60=now")
        alice.expect("35=9|11=F1|41=NEVER|434=1|102=1")
        bob.send("35=F|11=F1|41=G1|55=AAPL|54=1|60=now")  # another client's order
        bob.expect("35=9|11=F1|41=G1|434=1|102=1")
        bob.send("35=F|11=F2|41=A1|55=AAPL|54=2|60=now")  # filled: the venue rejects it
        bob.expect("35=9|11=F2|41=A1|102=0")
        bob.send("35=D|11=B9|55=AAPL|54=2|38=5|40=2|60=now")    # a limit order without a limit
        bob.expect("35=j|45=|372=D|379=B9|380=5|58=a limit order needs Price")
        bob.send(order("B10", 2, 5, 1).replace("AAPL", 65 * "A"))
        bob.expect("35=j|45=|372=D|379=B10|380=0|58=Symbol is longer than 64 bytes")
        bob.send("35=V|262=M|263=0|264=1|267=1|269=0|146=1|55=AAPL")
        bob.expect("35=j|372=V|380=3")
        alice.send("35=8|37=1|17=1|150=0|39=0|11=A1|55=AAPL|54=1|151=1|14=0|6=0")
        alice.expect("35=j|372=8|380=3")
        venue.kill()
        router.wait_for("ROUTER->VENUE logged out")
        alice.send(order("A2", 1, 1, "1"))
        alice.expect("35=8|37=NONE|11=A2|150=8|39=8|103=2")
        alice.send("35=F|11=F3|41=G1|55=AAPL|54=1|60=now")
        alice.expect("35=j|58=the venue is not logged on|372=F|379=F3|380=4")
        router.kill()
        # Both start again, and recover their state.
        with serve(nexusfix, folder, venue.port) as venue_again, \
             Example(program, CONFIG, folder, router.port, venue.port) as router_again:
            alice.wait_for("^logged on")
            router_again.wait_for("ROUTER->VENUE logged on")
            alice.send(order("A3", 1, 1, "1"))
            alice.expect("35=8|11=A3|150=0")
            alice.send("35=F|11=F4|41=G1|55=AAPL|54=1|60=now")
            alice.expect("35=8|11=F4|41=G1|150=4|14=40")
            alice.send("35=F|11=F5|41=A3|55=AAPL|54=1|60=now")
            alice.expect("35=8|11=F5|41=A3|150=4|14=0")
            # A refusal after a restart of the router is forwarded to the client, too.
            venue_again.process.send_signal(signal.SIGSTOP)
            alice.send("35=D|11=A4|55=AAPL|54=2|38=5|40=2|60=now")
            alice.send("35=V|262=M|263=0|264=1|267=1|269=0|146=1|55=AAPL")
            alice.expect("35=j|372=V|380=3")  # so the router has A4, too
            router_again.kill()
            venue_again.process.send_signal(signal.SIGCONT)
            with Example(program, CONFIG, folder, router.port, venue.port):
                alice.expect("35=j|372=D|379=A4|380=5")


if __name__ == "__main__":
    main(test)

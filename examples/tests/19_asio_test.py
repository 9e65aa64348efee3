#!/usr/bin/env python3
"""A trader and an operator at the venue in Asio: 19_asio_test.py EXAMPLE NEXUSFIX."""

import socket

from counterparty import SECONDS_MAX, Client, Example, main

CONFIG = "19_asio.cfg"


def test(program, nexusfix, folder):
    with Example(program, CONFIG, folder) as venue:
        port = int(venue.wait_for(r"admin port (\d+)")[1])
        with Client(nexusfix, folder, venue.port, "TRADER") as trader, \
             socket.create_connection(("127.0.0.1", port), timeout=SECONDS_MAX) as admin, \
             admin.makefile() as answers:
            trader.send("35=D|11=A1|55=AAPL|54=1|38=100|40=2|44=10|60=now")
            trader.expect("35=8|11=A1|150=0|39=0")
            trader.expect("35=8|11=A1|150=F|39=2")  # by a timer of the engine
            for line, sent in (("halted", 4), ("resumed", 5)):
                admin.sendall(f"{line}\n".encode())
                trader.expect(f"35=B|148={line}|33=1|58={line}")
                answer = answers.readline()
                assert answer == f"messages in 2, out {sent}\n", answer
            admin.sendall(256 * b"x")  # no line: the port closes the connection
            assert not answers.readline()
            venue.process.terminate()
            trader.wait_for("^logged out")
            if venue.process.wait() != 0:
                raise AssertionError("SIGTERM did not end the venue in order")


if __name__ == "__main__":
    main(test)

#!/usr/bin/env python3
"""Two traders at the order venue: 08_order_venue_test.py EXAMPLE NEXUSFIX."""

from counterparty import Client, Example, main

CONFIG = "08_order_venue.cfg"


def order(cl_ord_id, side, quantity, price, more=""):
    kind = f"40=2|44={price}" if price else "40=1"
    return f"35=D|11={cl_ord_id}|55=AAPL|54={side}|38={quantity}|{kind}|60=now{more}"


def replace(cl_ord_id, orig, side, quantity, price):
    return order(cl_ord_id, side, quantity, price).replace("35=D", f"35=G|41={orig}")


def cancel(cl_ord_id, orig, side):
    return f"35=F|11={cl_ord_id}|41={orig}|55=AAPL|54={side}|60=now"


def fills_come_by_price_and_then_by_time(alice, bob):
    for cl_ord_id, price in (("A1", "10.5"), ("A2", "10.75"), ("A3", "10.50")):
        alice.send(order(cl_ord_id, 1, 100, price))
        alice.expect(f"35=8|11={cl_ord_id}|150=0|39=0|38=100|151=100|14=0|6=0")
    bob.send(order("B1", 2, 250, "10.25"))
    bob.expect("35=8|11=B1|150=0|39=0")
    bob.expect("35=8|11=B1|150=F|39=1|32=100|31=10.75|151=150|14=100|6=10.75")
    bob.expect("35=8|11=B1|150=F|39=1|32=100|31=10.5|151=50|14=200|6=10.625")
    bob.expect("35=8|11=B1|150=F|39=2|32=50|31=10.5|151=0|14=250|6=10.6")
    alice.expect("35=8|11=A2|150=F|39=2|32=100|31=10.75|151=0")
    alice.expect("35=8|11=A1|150=F|39=2|32=100|31=10.5|151=0")
    alice.expect("35=8|11=A3|150=F|39=1|32=50|31=10.5|151=50|14=50")


def less_keeps_its_place_and_more_does_not(alice, bob):
    for cl_ord_id in ("A4", "A5", "A6"):
        alice.send(order(cl_ord_id, 2, 20, "12"))
        alice.expect(f"35=8|11={cl_ord_id}|150=0")
    alice.send(replace("A7", "A4", 2, 30, "12"))
    alice.expect("35=8|11=A7|41=A4|150=5|39=0|38=30|151=30")
    alice.send(replace("A8", "A5", 2, 10, "12"))
    alice.expect("35=8|11=A8|41=A5|150=5|39=0|38=10|151=10")
    bob.send(order("B2", 1, 35, "12"))
    bob.expect("35=8|11=B2|150=0")
    for quantity in (10, 20, 5):
        bob.expect(f"35=8|11=B2|150=F|32={quantity}|31=12")
    alice.expect("35=8|11=A8|150=F|39=2|32=10|151=0")
    alice.expect("35=8|11=A6|150=F|39=2|32=20|151=0")
    alice.expect("35=8|11=A7|41=|150=F|39=1|32=5|151=25")
    alice.send(replace("A9", "A7", 2, 3, "12"))  # but five of it are filled
    alice.expect("35=8|11=A9|41=A7|150=5|39=2|38=5|151=0|14=5")
    alice.send(order("A10", 2, 7, "12"))
    alice.expect("35=8|11=A10|150=0")
    alice.send(replace("A11", "A10", 2, 7, "10.5"))  # now it meets A3
    alice.expect("35=8|11=A11|41=A10|150=5|39=0|44=10.5")
    alice.expect("35=8|11=A3|150=F|39=1|32=7|31=10.5|151=43")
    alice.expect("35=8|11=A11|150=F|39=2|32=7|31=10.5|151=0")


def what_cannot_be_taken_is_rejected(bob):
    bob.send(order("B1", 2, 1, "10"))
    bob.expect("35=8|37=NONE|11=B1|150=8|39=8|103=6")
    for text, wrong in (("OrderQty", order("B3", 2, "1.5", "10")),
                        ("OrderQty", order("B4", 2, "-5", "10")),
                        ("OrderQty", order("B5", 2, "-9223372036854775808", "10")),
                        ("OrderQty", order("B6", 2, 1, "10").replace("|38=1", "")),
                        ("Price", order("B7", 2, 1, "0.000000001")),
                        ("Price", order("B8", 2, 1, "1").replace("|44=1", "")),
                        ("Price", order("B9", 2, 1, "90001")),
                        ("Side", order("B10", 5, 1, "10")),
                        ("OrdType", order("B11", 2, 1, "10").replace("40=2", "40=4|99=9")),
                        ("TimeInForce", order("B12", 2, 1, "10", "|59=4"))):
        bob.send(wrong)
        report = dict(bob.expect("35=8|37=NONE|150=8|39=8|103=11|151=0|14=0"))
        assert report["58"].startswith(text), report
    bob.send(cancel("B13", "NEVER", 2))
    bob.expect("35=9|37=NONE|11=B13|41=NEVER|39=8|434=1|102=1")
    bob.send(cancel("B14", "B3", 2))  # was rejected
    bob.expect("35=9|37=NONE|11=B14|41=B3|39=8|434=1|102=1")
    bob.send(cancel("B15", "B1", 2))
    bob.expect("35=9|37=4|11=B15|41=B1|39=2|434=1|102=0")
    bob.send(replace("B16", "B1", 2, 300, "10"))
    bob.expect("35=9|37=4|11=B16|41=B1|39=2|434=2|102=0")
    bob.send(cancel("B17", "A3", 1))  # another trader's order
    bob.expect("35=9|37=NONE|11=B17|41=A3|434=1|102=1")
    bob.send(order("B18", 1, 5, "1"))
    bob.expect("35=8|11=B18|150=0")
    for wrong, reason in ((replace("B19", "B18", 1, "0.5", "1"), 99),
                          (replace("B19", "B18", 2, 5, "1"), 99),
                          (replace("B1", "B18", 1, 5, "1"), 6)):
        bob.send(wrong)
        bob.expect(f"35=9|41=B18|39=0|434=2|102={reason}")
    bob.send(cancel("B20", "B18", 1))
    bob.expect("35=8|11=B20|41=B18|150=4|39=4|151=0|14=0")
    bob.send(cancel("B21", "B20", 1))
    bob.expect("35=9|11=B21|41=B20|39=4|434=1|102=0")
    bob.send(order("B22", 1, 5, "11", "|59=3"))
    bob.expect("35=8|11=B22|150=0")
    bob.expect("35=8|11=B22|150=4|39=4|151=0|14=0")


def the_book_survives_a_kill(alice, bob):
    bob.send(order("B30", 2, 80, ""))  # at the market: 43 are left of A3, and 10 of A12
    bob.expect("35=8|11=B30|150=0|44=")
    bob.expect("35=8|11=B30|150=F|39=1|32=43|31=10.5|151=37")
    bob.expect("35=8|11=B30|150=F|39=1|32=10|31=10.25|151=27")
    bob.expect("35=8|11=B30|150=4|39=4|151=0|14=53")
    alice.expect("35=8|11=A3|150=F|39=2|32=43|151=0|14=100|6=10.5")
    alice.expect("35=8|11=A13|150=F|39=2|32=10|151=0|14=10")
    alice.send(order("A1", 1, 1, "1"))
    alice.expect("35=8|11=A1|150=8|103=6")
    bob.send(order("B3", 1, 1, "1"))  # the rejected order has used this ClOrdID
    bob.expect("35=8|11=B3|150=8|103=6")


def test(program, nexusfix, folder):
    with Example(program, CONFIG, folder) as venue:
        with Client(nexusfix, folder, venue.port, "ALICE") as alice, \
             Client(nexusfix, folder, venue.port, "BOB") as bob:
            fills_come_by_price_and_then_by_time(alice, bob)
            less_keeps_its_place_and_more_does_not(alice, bob)
            what_cannot_be_taken_is_rejected(bob)
            alice.send(order("A12", 1, 15, "10.25"))
            alice.expect("35=8|11=A12|150=0")
            alice.send(replace("A13", "A12", 1, 10, "10.25"))
            alice.expect("35=8|11=A13|41=A12|150=5|39=0|151=10")
            venue.kill()
    with Example(program, CONFIG, folder) as venue, \
         Client(nexusfix, folder, venue.port, "ALICE") as alice, \
         Client(nexusfix, folder, venue.port, "BOB") as bob:
        the_book_survives_a_kill(alice, bob)
        venue.process.terminate()
        if venue.process.wait() != 0:
            raise AssertionError("SIGTERM did not end the venue in order")


if __name__ == "__main__":
    main(test)

#!/usr/bin/env python3
"""Subscribers of the market-data publisher: 09_market_data_test.py EXAMPLE NEXUSFIX."""

from counterparty import Client, Example, main


def request(md_req_id, kind, symbols, types=(0, 1), depth=0):
    groups = "".join(f"|269={one}" for one in types)
    names = "".join(f"|55={one}" for one in symbols)
    return (f"35=V|262={md_req_id}|263={kind}|264={depth}|265=1|267={len(types)}{groups}"
            f"|146={len(symbols)}{names}")


def feed(publisher, prober, lines):
    """Sends these lines, and waits for the last one in a snapshot: then all were applied."""
    for line in lines:
        publisher.say(line)
    feed.count += 1
    publisher.say(f"PROBE{feed.count} bid 1 1")
    while True:
        prober.send(request(f"P{feed.count}", 0, [f"PROBE{feed.count}"]))
        if "|35=W|" in prober.wait_for("^< ").string:
            return


feed.count = 0


def subscriber_gets_snapshot_and_then_changes(publisher, alice, bob):
    feed(publisher, bob, ["AAPL bid 150.25 300", "AAPL bid 150.50 100", "AAPL offer 150.75 200",
                          "IBM offer 99.5 10"])
    alice.send(request("S1", 1, ["AAPL"]))
    alice.expect("35=W|262=S1|55=AAPL|268=3|269=0|270=150.50|271=100|269=0|270=150.25|271=300"
                 "|269=1|270=150.75|271=200")
    publisher.say("AAPL offer 150.75 150")
    alice.expect("35=X|262=S1|268=1|279=1|269=1|55=AAPL|270=150.75|271=150")
    publisher.say("IBM offer 99.5 20")          # not subscribed
    publisher.say("AAPL offer 150.75 150")      # no change
    publisher.say("AAPL bid 150.50 0")
    alice.expect("35=X|262=S1|268=1|279=2|269=0|55=AAPL|270=150.50|271=")
    publisher.say("AAPL bid 150.40 70")
    alice.expect("35=X|262=S1|268=1|279=0|269=0|55=AAPL|270=150.40|271=70")


def subscriptions_are_each_for_themselves(publisher, alice, bob):
    alice.send(request("S2", 1, ["IBM", "AAPL"], types=[1]))
    alice.expect("35=W|262=S2|55=AAPL|268=1|269=1|270=150.75|271=150")
    alice.expect("35=W|262=S2|55=IBM|268=1|269=1|270=99.5|271=20")
    publisher.say("AAPL bid 150.40 0")          # S2 has offers only
    alice.expect("35=X|262=S1|279=2|269=0|270=150.40")
    alice.send(request("S1", 2, ["AAPL"]))
    alice.send(request("S1", 2, ["AAPL"]))      # an answer proves that the first was processed
    alice.expect("35=Y|262=S1|281=|58=there is no such subscription")
    publisher.say("AAPL offer 151 5")
    alice.expect("35=X|262=S2|279=0|269=1|55=AAPL|270=151|271=5")
    bob.send(request("B1", 0, ["IBM"], types=[0]))
    bob.expect("35=W|262=B1|55=IBM|268=0")      # no bids


def what_cannot_be_served_is_rejected(alice):
    alice.send(request("S3", 1, ["AAPL", "NONE"]))
    alice.expect("35=Y|262=S3|281=0")
    alice.send(request("S2", 1, ["AAPL"]))
    alice.expect("35=Y|262=S2|281=1")
    alice.send(request("S4", 1, ["AAPL"], depth=5))
    alice.expect("35=Y|262=S4|281=5")
    alice.send(request("S5", 1, ["AAPL"], types=[2]))
    alice.expect("35=Y|262=S5|281=8")


def test(program, nexusfix, folder):
    further = "ResetOnLogon=Y"
    with Example(program, "09_market_data.cfg", folder) as publisher, \
         Client(nexusfix, folder, publisher.port, "BOB", "PUBLISHER", further=further) as bob:
        with Client(nexusfix, folder, publisher.port, "ALICE", "PUBLISHER",
                    further=further) as alice:
            subscriber_gets_snapshot_and_then_changes(publisher, alice, bob)
            subscriptions_are_each_for_themselves(publisher, alice, bob)
            what_cannot_be_served_is_rejected(alice)
            alice.quit()
        with Client(nexusfix, folder, publisher.port, "ALICE", "PUBLISHER",
                    further=further) as alice:
            publisher.say("AAPL offer 151 6")   # the subscriptions have ended with their session
            alice.send(request("S2", 0, ["NONE"]))
            alice.expect("35=Y|262=S2|281=0")
        publisher.process.stdin.close()
        assert publisher.process.wait() == 0


if __name__ == "__main__":
    main(test)

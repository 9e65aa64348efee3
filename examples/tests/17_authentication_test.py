#!/usr/bin/env python3
"""Users of a slow directory, which is this test: 17_authentication_test.py EXAMPLE NEXUSFIX."""

from counterparty import Client, Example, main


def test(example, nexusfix, folder):
    def client(name, password):
        user = f"Username={name.lower()}\nPassword={password}\nReconnectInterval=600"
        return Client(nexusfix, folder, venue.port, name, further=user, waits=False)

    def expect_service(bob):
        bob.send("35=D|11=B1|55=AAPL|54=1|38=100|40=1|60=now")
        bob.expect("35=j|372=D")

    with Example(example, "17_authentication.cfg", folder) as venue, \
            client("BOB", "secret") as bob:
        venue.wait_for(r"^directory: bob\?")
        venue.say("secret")
        bob.wait_for("^logged on")
        with client("ALICE", "guess") as alice:
            venue.wait_for(r"^directory: alice\?")
            expect_service(bob)  # while the directory has not answered
            venue.say("password")
            alice.wait_for("Logout received: wrong user or password")
        with client("ALICE", "password") as alice:
            venue.wait_for(r"^directory: alice\?")
        venue.say("password")  # for a connection that has ended
        expect_service(bob)
        with client("ALICE", "password") as alice:
            venue.wait_for(r"^directory: alice\?")
            venue.say("password")
            alice.wait_for("^logged on")


main(test)

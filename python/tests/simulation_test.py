"""Programs of Python in virtual time, with faults from a seed."""

import nexusfix
import pytest
from nexusfix import fix44
from nexusfix.simulation import World

KEYS = {"BeginString": "FIX.4.4", "HeartBtInt": 30, "FileStorePath": "store",
        "ReconnectInterval": 1}
VENUE = {**KEYS, "SenderCompID": "V", "TargetCompID": "C", "SocketAcceptPort": 5001}
CLIENT = {**KEYS, "SenderCompID": "C", "TargetCompID": "V", "SocketConnectHost": "venue",
          "SocketConnectPort": 5001}


def news(text):
    return fix44.News(Headline=text, LinesOfText=[{"Text": text}])


class Venue:
    made = 0
    received = []

    def __init__(self):
        Venue.made += 1

    def on_message(self, session, message):
        self.received.append(message["Headline"])


class Client:
    sent = []

    def on_logon(self, session):
        self.send(session)

    def send(self, session):
        text = f"N{len(self.sent)}"
        self.sent.append(text)
        session.send(news(text))
        if len(self.sent) < 200:
            session.call_after(1, lambda: self.send(session))


def run(seed, faults, seconds=400):
    Venue.made, Venue.received, Client.sent = 0, [], []
    world = World(seed, faults)
    world.add("venue", VENUE, Venue)
    client = world.add("client", CLIENT, Client)
    world.run(seconds)
    assert world.settle()
    return world, client


def test_hours_pass_in_moments_and_nothing_is_lost():
    world, _ = run(1, "none", seconds=36_000)
    assert world.now >= 36_000 and world.violation is None
    assert Venue.received == Client.sent and len(Client.sent) == 200
    assert Venue.made == 1


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_what_a_client_sends_survives_faults(seed):
    world, _ = run(seed, "tear,drop,half-open,kill,alter")
    assert world.violation is None
    assert set(Venue.received) <= set(Client.sent) and Venue.received
    assert Venue.made > 1  # it was killed


def test_a_seed_repeats_a_run():
    first = run(5, "all"), Venue.received, Client.sent
    second = run(5, "all"), Venue.received, Client.sent
    assert first[1:] == second[1:] and first[0][0].now == second[0][0].now


def test_an_application_is_made_again_after_its_death():
    made, recovered = [], []

    class Trader(Client):
        def __init__(self):
            made.append(self)

        def on_recovered(self, name, message):
            recovered.append((name, message["Headline"]))

    Client.sent = []
    world = World()
    world.add("venue", VENUE, Venue)
    process = world.add("client", CLIENT, Trader)
    world.run(20)
    kept = Client.sent.copy()
    world.kill(process)
    world.run(20)
    assert len(made) == 2 and world.application(process) is made[1]
    assert [text for _, text in recovered] == kept
    assert recovered[0][0] == "FIX.4.4:C->V"


def test_an_exception_of_an_application_ends_the_world():
    class Wrong:
        def on_logon(self, session):
            raise LookupError("no such book")

    world = World()
    world.add("venue", VENUE, Wrong)
    world.add("client", CLIENT, Client)
    with pytest.raises(LookupError, match="no such book"):
        world.run(60)
    assert world.violation.invariant == "exception"
    with pytest.raises(nexusfix.SessionClosedError):
        world.run(1)


def test_a_session_of_a_dead_process_raises():
    kept = []

    class Keeper:
        def on_logon(self, session):
            kept.append(session)

    world = World()
    process = world.add("venue", VENUE, Keeper)
    world.add("client", CLIENT, Client)
    world.run(10)
    assert kept[0].is_logged_on
    world.kill(process)
    world.run(60)
    assert not kept[0].is_logged_on
    with pytest.raises(nexusfix.SessionClosedError, match="died"):
        kept[0].send(news("x"))
    del world
    with pytest.raises(nexusfix.SessionClosedError):
        kept[-1].send(news("x"))


def test_wrong_arguments_are_exceptions():
    with pytest.raises(ValueError, match="kil"):
        World(1, "kil")
    world = World()
    for wrong in (-1, float("nan"), 1e12):
        with pytest.raises(ValueError):
            world.run(wrong)
    with pytest.raises(nexusfix.ConfigurationError, match="HeartBtInt"):
        world.add("x", {**CLIENT, "HeartBtInt": "x"}, Client)
    with pytest.raises(nexusfix.SessionError, match="no such process"):
        world.kill(3)
    world.add("x", CLIENT, 7)
    with pytest.raises(TypeError):
        world.run(1)


def test_a_world_does_not_run_within_itself():
    raised = []

    class Nested:
        def on_logon(self, session):
            for call in (lambda: world.run(1), lambda: world.kill(0)):
                try:
                    call()
                except nexusfix.SessionError as error:
                    raised.append(str(error))

    world = World()
    world.add("venue", VENUE, Nested)
    world.add("client", CLIENT, Client)
    world.run(10)
    assert len(raised) == 2

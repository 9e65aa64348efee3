"""Programs in virtual time: engines whose network, disks and clocks are simulated.

>>> from nexusfix import fix44
>>> class Venue:
...     def on_message(self, session, message):
...         session.send(message)
>>> class Client:
...     def __init__(self):
...         self.received = []
...     def on_logon(self, session):
...         session.call_after(3600, lambda: session.send(
...             fix44.News(Headline="an hour later", LinesOfText=[{"Text": "a"}])))
...     def on_message(self, session, message):
...         self.received.append(message["Headline"])
>>> world = World(seed=7)
>>> keys = {"BeginString": "FIX.4.4", "HeartBtInt": 30, "FileStorePath": "store"}
>>> venue = world.add("venue", {**keys, "SenderCompID": "V", "TargetCompID": "C",
...                             "SocketAcceptPort": 5001}, Venue)
>>> client = world.add("client", {**keys, "SenderCompID": "C", "TargetCompID": "V",
...                               "SocketConnectHost": "v", "SocketConnectPort": 5001}, Client)
>>> world.run(4000)
>>> world.application(client).received, world.now
(['an hour later'], 4000.0)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from nexusfix._core import SimulatedSession as Session
from nexusfix._core import SimulatedWorld
from nexusfix.sessions import settings_text

__all__ = ["Session", "Violation", "World"]


class Violation(NamedTuple):
    """What a world has found."""

    invariant: str
    """A short name, such as "number-reused"."""
    text: str


class World:
    """Processes with engines, in one thread. The same seed and the same program run the same way.

    faults: "none", "all", or names such as "drop,kill,torn-write": docs/guide/simulator.md.

    An application is an object with any of on_logon(session), on_logout(session),
    on_message(session, message), on_recovered(name, message) and on_undone(). It is made again at
    each start of its process. The session of these functions has send(message), which returns Sent
    at once, log_out(text), call_after(seconds, function), id and is_logged_on.
    """

    def __init__(self, seed: int = 1, faults: str = "none") -> None:
        self.seed = seed
        self._world = SimulatedWorld(seed, faults)

    def add(self, name: str, settings: Mapping[str, Any], make: Callable[[], object]) -> int:
        """Adds a process with these keys of a configuration. make: its application's class.

        Every SocketConnectHost reaches every port. Raises ConfigurationError.
        """
        is_initiator = "SocketConnectPort" in str(settings)
        return self._world.add(name, settings_text(settings, is_initiator), make)

    def run(self, seconds: float) -> None:
        """Runs for this virtual time, with the faults; ends early at a violation.

        Raises what an application has raised; the world has then ended.
        """
        self._world.run(seconds)

    def settle(self, limit: float = 600.0) -> bool:
        """Ends all faults, and runs until both sides agree, at most limit virtual seconds."""
        return self._world.settle(limit)

    def after(self, seconds: float, call: Callable[[], object]) -> None:
        """Calls a function once, while the world runs."""
        self._world.after(seconds, call)

    def kill(self, process: int) -> None:
        """The process dies, as by `kill -9`, and starts again after a while. Between two runs."""
        self._world.kill(process)

    def application(self, process: int) -> Any:
        """The application of a process; None: the process is down. Between two runs."""
        return self._world.application(process)

    @property
    def now(self) -> float:
        """The virtual seconds since the world began."""
        return self._world.now

    @property
    def violation(self) -> Violation | None:
        """The first violation of an invariant: a lost message, a MsgSeqNum that is used twice."""
        found = self._world.violation
        return None if found is None else Violation(*found)

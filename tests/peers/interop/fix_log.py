"""Reads the message log of QuickFIX and QuickFIX/J, and checks the conduct of one side.

The log has every message of both sides as the peer saw it on the wire, so this checks the bytes on
TCP, and not what an engine reports about itself.
"""

import glob
import os

SOH = b"\x01"
ADMIN_TYPES = ("0", "1", "2", "4", "5", "A")
# A replayed message differs from the original in these only: BodyLength, CheckSum, PossDupFlag,
# SendingTime and OrigSendingTime.
REPLAY_TAGS = (9, 10, 43, 52, 122)


class Message:
    """One message, whole: its fields in order and its bytes."""

    def __init__(self, raw):
        self.raw = raw
        self.fields = []
        for part in raw.rstrip(SOH).split(SOH):
            tag, _, value = part.partition(b"=")
            self.fields.append((int(tag), value.decode("latin-1")))

    def get(self, tag, default=""):
        return next((value for key, value in self.fields if key == tag), default)

    @property
    def type(self):
        return self.get(35)

    @property
    def number(self):
        return int(self.get(34))

    @property
    def repeated(self):
        return self.get(43) == "Y"

    @property
    def body(self):
        return [field for field in self.fields if field[0] not in REPLAY_TAGS]

    def __str__(self):
        return self.raw.replace(SOH, b"|").decode("latin-1")


def read_log(folder):
    """The messages of the only message log in folder, oldest first."""
    paths = glob.glob(os.path.join(folder, "FIX*messages*.log"))
    if len(paths) != 1:
        raise AssertionError(f"one message log expected in {folder}, found {paths}")
    with open(paths[0], "rb") as file:
        lines = file.read().split(b"\n")
    return [Message(line[line.index(b"8=FIX"):]) for line in lines if b"8=FIX" in line]


def frame_faults(message):
    """BodyLength, CheckSum, and the place and presence of the header fields."""
    faults = []
    raw = message.raw
    body_start = raw.index(SOH + b"35=") + 1
    body_end = raw.rindex(SOH + b"10=") + 1
    if int(message.get(9)) != body_end - body_start:
        faults.append(f"BodyLength {message.get(9)}, {body_end - body_start} expected")
    check_sum = f"{sum(raw[:body_end]) % 256:03}"
    if message.get(10) != check_sum:
        faults.append(f"CheckSum {message.get(10)}, {check_sum} expected")
    if [tag for tag, _ in message.fields[:3]] != [8, 9, 35]:
        faults.append("does not begin with 8, 9, 35")
    faults += [f"has no {tag}" for tag in (34, 49, 52, 56) if not message.get(tag)]
    empty = [tag for tag, value in message.fields if not value]
    if empty:
        faults.append(f"fields without value: {empty}")
    return [f"{fault}: {message}" for fault in faults]


class Conduct:
    """Follows one side through a log and collects its violations of the FIX session layer."""

    def __init__(self, messages, sender):
        self.messages = messages
        self.sender = sender
        self.originals = {}  # MsgSeqNum → message, in this reset epoch
        self.last = 0
        self.faults = []

    def check(self):
        for message in self.messages:
            if message.get(49) != self.sender:
                continue
            self.faults += frame_faults(message)
            if message.type == "A" and message.get(141) == "Y" and message.number == 1:
                self.originals, self.last = {}, 0
            if message.repeated:
                self._replayed(message)
            else:
                self._original(message)
        for index, message in enumerate(self.messages):
            if message.type == "2" and message.get(49) != self.sender:
                self._resend_answered(index, message)
        return self.faults

    def _original(self, message):
        if message.number != self.last + 1:
            self.faults.append(f"number {self.last + 1} expected: {message}")
        self.last = message.number
        self.originals[message.number] = message

    def _replayed(self, message):
        """FIX Session Layer, resend request processing: same number, same body, 43 and 122 set."""
        if message.type == "4":
            if message.get(123) != "Y":
                self.faults.append(f"SequenceReset without GapFillFlag: {message}")
            if not message.number < int(message.get(36)) <= self.last + 1:
                self.faults.append(f"NewSeqNo beyond {self.last + 1}: {message}")
            return
        original = self.originals.get(message.number)
        if original is None:
            self.faults.append(f"replay of a number never sent: {message}")
            return
        if message.type in ADMIN_TYPES:
            self.faults.append(f"administrative message replayed: {message}")
        if message.body != original.body:
            self.faults.append(f"replay differs: {message} from {original}")
        if message.get(122) != original.get(52):
            self.faults.append(f"OrigSendingTime is not {original.get(52)}: {message}")

    def _resend_answered(self, index, request):
        """Every requested number is replayed or gap-filled, in order."""
        expected, end = int(request.get(7)), int(request.get(16))
        sent = [m.number for m in self.messages[:index]
                if m.get(49) == self.sender and not m.repeated]
        if end == 0 or end > sent[-1]:
            end = sent[-1]
        for message in self.messages[index:]:
            if message.get(49) == self.sender and message.repeated and message.number == expected:
                expected = int(message.get(36)) if message.type == "4" else expected + 1
        if expected <= end:
            self.faults.append(f"{expected} to {end} never resent after: {request}")


def conduct_faults(messages, sender):
    return Conduct(messages, sender).check()

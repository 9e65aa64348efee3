#!/usr/bin/env python3
"""Measures `nexusfix front-door`: what it costs a message, bytes in bulk, and a take-over.

    bench/front_door_cost.py NEXUSFIX [ROUNDS]

The clients and the engine are sockets of this program, over loopback. Each round measures

* the round trip of 200 bytes, directly and through the door, and the CPU time of the door for one
  such message;
* the CPU time of the door for a GB in one direction;
* the CPU time of the door in a second in which 1,000 clients wait for an engine that is away.

Prints each round and the best of ROUNDS (5): another program of the machine makes a round slower,
never faster.
"""

import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

MESSAGE = b"x" * 200
MESSAGES = 10_000
BULK_BYTES = 1 << 30
WAITING = 1_000
TCP_NODELAY = (socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


def logon():
    body = "35=A\x0134=1\x0149=ALICE\x0152=20240115-10:30:00\x0156=VENUE\x0198=0\x01108=30\x01"
    head = f"8=FIX.4.4\x019={len(body)}\x01{body}".encode()
    return head + f"10={sum(head) % 256:03}\x01".encode()


class Door:
    def __init__(self, nexusfix, folder, port):
        config = Path(folder) / "venue.cfg"
        config.write_text(
            f"[DEFAULT]\nConnectionType=acceptor\nSocketAcceptPort={port}\nStore=memory\n"
            "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=ALICE\n")
        self.process = subprocess.Popen(
            [nexusfix, "front-door", "--listen", "127.0.0.1:0", f"{config}@127.0.0.1"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.port = int(self.process.stdout.readline().split()[-1])

    def cpu_seconds(self):
        text = Path(f"/proc/{self.process.pid}/schedstat").read_text(encoding="ascii")
        return int(text.split()[0]) / 1e9

    def end(self):
        self.process.terminate()
        self.process.wait()
        self.process.stdout.close()


def echo(connection):
    while received := connection.recv(4096):
        connection.sendall(received)


def round_trip_us(client):
    times = []
    for _ in range(MESSAGES):
        begin = time.perf_counter_ns()
        client.sendall(MESSAGE)
        missing = len(MESSAGE)
        while missing > 0:
            missing -= len(client.recv(4096))
        times.append(time.perf_counter_ns() - begin)
    return statistics.median(times) / 1000


def connect(port, engine):
    """A connection, and its other end."""
    client = socket.create_connection(("127.0.0.1", port))
    client.setsockopt(*TCP_NODELAY)
    client.sendall(logon())
    far, _ = engine.accept()
    far.setsockopt(*TCP_NODELAY)
    received = b""
    while len(received) < len(logon()):
        received += far.recv(4096)
    return client, far


def measure_messages(port, engine):
    client, far = connect(port, engine)
    thread = threading.Thread(target=echo, args=(far,))
    thread.start()
    with client, far:
        time_us = round_trip_us(client)
        client.shutdown(socket.SHUT_WR)
        thread.join()
    return time_us


def measure_bulk(port, engine):
    client, far = connect(port, engine)

    def read():
        buffer = bytearray(1 << 20)
        missing = BULK_BYTES
        while missing > 0:
            missing -= far.recv_into(buffer)
    thread = threading.Thread(target=read)
    thread.start()
    block = bytes(1 << 20)
    with client, far:
        for _ in range(BULK_BYTES // len(block)):
            client.sendall(block)
        thread.join()


def measure_waiting(door):
    """The part of a core that the door needs while its engine is away."""
    clients = []
    for _ in range(WAITING):
        clients.append(socket.create_connection(("127.0.0.1", door.port)))
        clients[-1].sendall(logon())
    time.sleep(2)
    begin, cpu = time.monotonic(), door.cpu_seconds()
    time.sleep(3)
    part = (door.cpu_seconds() - cpu) / (time.monotonic() - begin)
    for client in clients:
        client.close()
    return part


def measure(nexusfix):
    with tempfile.TemporaryDirectory() as folder, socket.create_server(("127.0.0.1", 0)) as engine:
        port = engine.getsockname()[1]
        door = Door(nexusfix, folder, port)
        try:
            direct = measure_messages(port, engine)
            cpu = door.cpu_seconds()
            through = measure_messages(door.port, engine)
            message_us = (door.cpu_seconds() - cpu) / (2 * MESSAGES) * 1e6
            cpu = door.cpu_seconds()
            measure_bulk(door.port, engine)
            gigabyte = (door.cpu_seconds() - cpu) / BULK_BYTES * 1e9
            engine.close()
            waiting = measure_waiting(door)
        finally:
            door.end()
    return {"direct, round trip, us": direct, "through the door, round trip, us": through,
            "CPU of the door a message, us": message_us, "CPU of the door a GB, s": gigabyte,
            "CPU of the door while 1,000 wait, of a core": waiting}


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    rounds = [measure(sys.argv[1]) for _ in range(int(sys.argv[2]) if len(sys.argv) > 2 else 5)]
    for name in rounds[0]:
        values = [one[name] for one in rounds]
        print(f"{name:45} {min(values):8.3f}   of {' '.join(f'{one:.3f}' for one in values)}")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Writes the log of a trader's day at three venues: make_day.py FILE [--orders N] [--seed N].

Two runs with the same numbers write the same bytes. ALPHA answers at once, BETA loses messages,
and GAMMA answers slowly from 13:00 to 14:00.
"""

import argparse
import heapq
import random
from pathlib import Path

SECOND = 1_000_000  # times are microseconds of the day
OPENS, CLOSES = 8 * 3600 * SECOND, 16 * 3600 * SECOND
SYMBOLS = {"SAP": 180.0, "BMW": 92.0, "NESN": 95.0, "AIR": 160.0, "ASML": 700.0}
# A venue has its median seconds to an answer, and the shares of orders that fill and are rejected.
VENUES = {"ALPHA": (0.0004, 0.78, 0.01), "BETA": (0.0011, 0.52, 0.03),
          "GAMMA": (0.0025, 0.31, 0.05)}
SLOW_FROM, SLOW_UNTIL, SLOW_FACTOR = 13 * 3600 * SECOND, 14 * 3600 * SECOND, 40
REASONS = (("2", "market closed"), ("3", "order exceeds limit"), ("99", "price too far away"))
LOST_SHARE = 0.006  # of BETA's messages
RESENT_SHARE = 0.6  # of those lost


def clock(time):
    hours, rest = divmod(time, 3600 * SECOND)
    minutes, rest = divmod(rest, 60 * SECOND)
    return f"20260115-{hours:02}:{minutes:02}:{rest // SECOND:02}.{rest % SECOND:06}"


def message(fields):
    body = "".join(f"{tag}={value}\x01" for tag, value in fields)
    text = f"8=FIX.4.4\x019={len(body)}\x01{body}"
    return f"{text}10={sum(text.encode()) % 256:03}\x01"


class Day:
    """What happens, in the order of time."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.events = []  # (time, number, what is done then)
        self.numbers = {}
        self.lines = []
        self.ids = 0

    def at(self, time, *what):
        heapq.heappush(self.events, (int(time), len(self.events) + self.ids, what))
        self.ids += 1

    def run(self):
        while self.events:
            time, _, (action, *arguments) = heapq.heappop(self.events)
            action(time, *arguments)

    def write(self, time, word, text):
        self.lines.append(f"{clock(time)} {word} : {text}\n")

    def send(self, time, sender, target, kind, fields):
        """Writes a message, or loses it on its way."""
        number = self.numbers[sender, target] = self.numbers.get((sender, target), 0) + 1
        word = "OUT" if sender == "DESK" else "IN"
        head = [(35, kind), (34, number), (49, sender), (56, target)]
        if sender == "BETA" and kind == "8" and self.random.random() < LOST_SHARE:
            if self.random.random() < RESENT_SHARE:
                again = [(43, "Y"), (52, clock(time)), (122, clock(time))]
                self.at(time + 2 * SECOND, self.write, word, message([*head, *again, *fields]))
            return
        self.write(time, word, message([*head, (52, clock(time)), *fields]))

    def delay(self, venue, time):
        seconds = self.random.lognormvariate(0, 0.5) * VENUES[venue][0]
        if venue == "GAMMA" and SLOW_FROM <= time < SLOW_UNTIL:
            seconds *= SLOW_FACTOR
        return int(seconds * SECOND) + 20

    def logon(self, venue):
        for sender, target in (("DESK", venue), (venue, "DESK")):
            self.send(OPENS - SECOND, sender, target, "A", [(98, 0), (108, 30)])

    def logout(self, time, venue):
        for sender, target in (("DESK", venue), (venue, "DESK")):
            self.send(time, sender, target, "5", [])

    def report(self, order, state):
        """The fields of a report: execution, status, and what was executed now."""
        kind, status, last, price, more = state
        order["executions"] += 1
        order["done"] += last
        order["turnover"] += last * price
        left = 0 if status in "248" else order["quantity"] - order["done"]
        average = order["turnover"] / order["done"] if order["done"] else 0
        return [(37, f"X{order['id']}"), (11, order["name"]), *more,
                (17, f"E{order['id']}.{order['executions']}"), (150, kind), (39, status),
                (55, order["symbol"]), (54, order["side"]), (38, order["quantity"]),
                (32, last), (31, f"{price:.2f}"), (151, left), (14, order["done"]),
                (6, f"{average:.4f}")]

    def answer(self, time, order, state):
        self.send(time, order["venue"], "DESK", "8", self.report(order, state))

    def order(self, time, number):
        venue = self.random.choice(list(VENUES))
        symbol = self.random.choice(list(SYMBOLS))
        price = round(SYMBOLS[symbol] * self.random.uniform(0.99, 1.01), 2)
        order = {"id": number, "name": f"D{number}", "venue": venue, "symbol": symbol, "done": 0,
                 "side": self.random.choice("12"), "quantity": 100 * self.random.randint(1, 20),
                 "executions": 0, "turnover": 0}
        self.send(time, "DESK", venue, "D",
                  [(11, order["name"]), (55, symbol), (54, order["side"]), (60, clock(time)),
                   (38, order["quantity"]), (40, 2), (44, f"{price:.2f}")])
        _, fills, rejected = VENUES[venue]
        answered = time + self.delay(venue, time)
        if self.random.random() < rejected:
            code, text = self.random.choice(REASONS)
            self.at(answered, self.answer, order, ("8", "8", 0, 0, [(103, code), (58, text)]))
            return
        self.at(answered, self.answer, order, ("0", "0", 0, 0, []))
        if self.random.random() < fills:
            self.fill(answered, order, price)
        else:
            self.cancel(answered + self.random.randint(5, 60) * SECOND, order)

    def fill(self, time, order, price):
        parts = self.random.randint(1, 3)
        left = order["quantity"]
        for part in range(parts):
            last = left if part == parts - 1 else left // 2
            left -= last
            time += self.random.randint(1000, 8 * SECOND)
            self.at(time, self.answer, order, ("F", "1" if left else "2", last, price, []))

    def cancel(self, time, order):
        name = f"{order['name']}c"
        venue = order["venue"]

        def ask(now):
            self.send(now, "DESK", venue, "F",
                      [(41, order["name"]), (11, name), (55, order["symbol"]),
                       (54, order["side"]), (60, clock(now)), (38, order["quantity"])])

        def answer(now):
            order["name"], before = name, order["name"]
            self.answer(now, order, ("4", "4", 0, 0, [(41, before)]))

        self.at(time, ask)
        self.at(time + self.delay(venue, time), answer)


def write_day(path, orders=2000, seed=1):
    day = Day(seed)
    for venue in VENUES:
        day.logon(venue)
        day.at(CLOSES + 3600 * SECOND, day.logout, venue)
    for number in range(1, orders + 1):
        day.at(day.random.randrange(OPENS, CLOSES), day.order, number)
    day.run()
    Path(path).write_text("".join(day.lines), encoding="ascii")


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    options.add_argument("file")
    options.add_argument("--orders", type=int, default=2000)
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    write_day(given.file, given.orders, given.seed)

#!/usr/bin/env python3
"""Writes a message log of a venue with orders, reports, rejects and heartbeats of 8 sessions.

Usage: make_log.py FILE MEGABYTES, or make_log.py CAPTURE --of LOG for a capture of its messages,
each in a TCP segment of its session. The same arguments give the same bytes. A part of 32 MB is
made message by message, and then repeated with other ClOrdIDs of the same size.
"""
import random
import struct
import sys

SOH = '\x01'
SYMBOLS = ['AAPL', 'MSFT', 'SAP', 'BMW', 'NESN', 'TTE', 'VOD', 'SIE', 'AIR', 'ASML', 'BP', 'DTE']
PART_BYTES = 32 << 20


class Maker:
    def __init__(self):
        self.random = random.Random(7)
        self.numbers = {}
        self.microseconds = 0

    def line(self, sender, target, msg_type, body, direction):
        key = (sender, target)
        number = self.numbers[key] = self.numbers.get(key, 0) + 1
        self.microseconds += self.random.randrange(1, 60)
        second, fraction = divmod(self.microseconds, 1_000_000)
        minute, second = divmod(second, 60)
        hour, minute = divmod(minute, 60)
        time = f'20240115-{hour + 8:02}:{minute:02}:{second:02}.{fraction:06}'
        fields = f'35={msg_type}|34={number}|49={sender}|52={time}|56={target}|{body}'
        fields = fields.replace('|', SOH)
        message = f'8=FIX.4.4{SOH}9={len(fields)}{SOH}{fields}'
        message += f'10={sum(message.encode()) % 256:03}{SOH}'
        return f'{time} {direction} : {message}\n'

    def order(self, index):
        """The lines of one order: NewOrderSingle, an acknowledgement, and one or two fills."""
        client = f'CLIENT{index % 8}'
        symbol = self.random.choice(SYMBOLS)
        side = self.random.choice('12')
        price = f'{self.random.randrange(1000, 40000) / 100:.2f}'
        quantity = self.random.randrange(1, 50) * 100
        identifier = f'ORDAZ{index:08}'
        instrument = f'55={symbol}|48=US{index % 997:010}|22=4|207=XNYS'
        lines = [self.line(client, 'VENUE', 'D',
                           f'11={identifier}|1=ACC{index % 40:04}|453=2|448=DESK{index % 5}|447=D|'
                           f'452=24|448=TRADER{index % 9}|447=D|452=12|21=1|{instrument}|54={side}|'
                           f'60=20240115-08:00:00.000|38={quantity}|40=2|44={price}|59=0|', 'IN')]

        def report(exec_type, status, last, done):
            fill = f'32={last}|31={price}|' if last else ''
            return self.line('VENUE', client, '8',
                             f'37=V{index:09}|17=E{index:08}{exec_type}{done}|11={identifier}|'
                             f'150={exec_type}|39={status}|1=ACC{index % 40:04}|{instrument}|'
                             f'54={side}|38={quantity}|40=2|44={price}|{fill}151={quantity - done}|'
                             f'14={done}|6={price if done else 0}|60=20240115-08:00:00.000|', 'OUT')

        kind = index % 20
        if kind == 19:
            lines.append(report('8', '8', 0, 0))
            return lines
        lines.append(report('0', '0', 0, 0))
        if kind % 3 == 0:
            lines.append(report('F', '1', quantity // 2, quantity // 2))
        lines.append(report('F', '2', quantity, quantity))
        return lines

    def part(self):
        lines = []
        size = 0
        index = 0
        while size < PART_BYTES:
            new = self.order(index)
            if index % 50 == 49:
                new.append(self.line(f'CLIENT{index % 8}', 'VENUE', '0', '', 'IN'))
            size += sum(len(line) for line in new)
            lines += new
            index += 1
        return ''.join(lines).encode()


def capture(path, log):
    """Ethernet, IPv4 and TCP with timestamps: 66 bytes before each message, and 16 of the file."""
    sequences = {}
    # As large as the writes of a log, and at whole pages: both files have pages of the same size in
    # the cache of the system, which decide how fast it copies them.
    with open(log, 'rb') as lines, open(path, 'wb') as file:
        out = bytearray(struct.pack('<IHHIIII', 0xa1b2c3d4, 2, 4, 0, 0, 262144, 1))
        for number, line in enumerate(lines):
            message = line[line.index(b'8=FIX'):-1]
            session = message[message.index(b'CLIENT') + 6] - 48
            is_in = b' IN : ' in line[:40]
            key = (session, is_in)
            sequence = sequences.get(key, 1)
            sequences[key] = (sequence + len(message)) % (1 << 32)
            ports = (5000 + session, 9876) if is_in else (9876, 5000 + session)
            hosts = (0x0a000001, 0x0a000002) if is_in else (0x0a000002, 0x0a000001)
            size = len(message)
            out += struct.pack('<IIII', 1705305600 + number // 30000, number % 30000 * 33,
                               size + 66, size + 66)
            out += b'\x02' * 12 + struct.pack('>HBBHHHBBHII', 0x0800, 0x45, 0, size + 52, 1,
                                              0x4000, 64, 6, 0, *hosts)
            out += struct.pack('>HHIIBBHHH', *ports, sequence, 1, 0x80, 0x18, 512, 0, 0)
            out += b'\x01' * 12 + message
            if len(out) >= PART_BYTES:
                file.write(out[:PART_BYTES])
                del out[:PART_BYTES]
        file.write(out)


def main():
    if sys.argv[2] == '--of':
        capture(sys.argv[1], sys.argv[3])
        return
    path, megabytes = sys.argv[1], int(sys.argv[2])
    part = Maker().part()
    left = megabytes * 1_000_000
    with open(path, 'wb') as out:
        number = 0
        while left > 0:
            # The two letters keep BodyLength; CheckSum stays right because their sum does.
            letters = bytes([65 + number % 26, 90 - number % 26])
            copy = part.replace(b'ORDAZ', b'ORD' + letters)
            if len(copy) > left:
                copy = copy[:copy.rindex(b'\n', 0, left) + 1]
                left = len(copy)
            out.write(copy)
            left -= len(copy)
            number += 1


if __name__ == '__main__':
    main()

import sys

import simplefix

order = simplefix.FixMessage()
order.append_pair(8, "FIX.4.4")
order.append_pair(35, "D")
order.append_pair(49, "ME")
order.append_pair(56, "YOU")
order.append_pair(34, 7)
order.append_string("52=20260115-10:30:00.000")
order.append_pair(11, "A1")
order.append_pair(55, "AAPL")
order.append_pair(54, 1)
order.append_pair(38, 100)
order.append_pair(44, "150.25")
order.append_pair(453, 2)
for party in ("DESK", "BANK"):
    order.append_pair(448, party)
    order.append_pair(452, 1)

parser = simplefix.FixParser()
received = order.encode()
parser.append_buffer(received[:50])
assert parser.get_message() is None
parser.append_buffer(received[50:])
message = parser.get_message()
print(message.get(11).decode(), message.get(54).decode(), float(message.get(44)))
print([message.get(448, nth).decode() for nth in range(1, int(message.get(453)) + 1)])
sys.stdout.buffer.write(received)

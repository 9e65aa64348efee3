"""Each kind of file that the log tools read is a table: logs of engines, archives, captures, dumps
and journals."""

import gzip
import lzma
import socket
import struct
import subprocess

import nexusfix
import pytest
from messages_test import message
from program import find_command

pyarrow = pytest.importorskip("pyarrow")

ORDER = message("35=D|34=7|49=T|52=20260115-10:30:00|56=V|11=A1|55=SAP|54=1|38=100|44=150.25|")
REPORT = message("35=8|34=3|49=V|52=20260115-10:30:00|56=T|37=X1|11=A1|17=E1|150=0|39=0|55=SAP|")
TEXT = b"20260115-10:30:00.100 OUT : %s\n20260115-10:30:00.140 IN : %s\n" % (ORDER, REPORT)
HALF_PAST_TEN = 1_768_473_000
LIMIT_SECONDS = 60


def tcp_packet(payload, sequence):
    tcp = struct.pack(">HHIIBBHHH", 5001, 9876, sequence, 0, 0x50, 0x18, 512, 0, 0) + payload
    return struct.pack(">BBHHHBBHII", 0x45, 0, 20 + len(tcp), 1, 0, 64, 6, 0, 1, 2) + tcp


def packets():
    """Both messages in three packets of one connection."""
    sequence = 1
    for part in (ORDER[:30], ORDER[30:], REPORT):
        yield tcp_packet(part, sequence)
        sequence += len(part)


def pcap():
    head = struct.pack("<IHHIIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 101)
    return head + b"".join(struct.pack("<IIII", HALF_PAST_TEN, 0, len(one), len(one)) + one
                           for one in packets())


def block(kind, body):
    body += bytes(-len(body) % 4)
    size = 12 + len(body)
    return struct.pack("<II", kind, size) + body + struct.pack("<I", size)


def pcapng():
    head = block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1))
    interface = block(1, struct.pack("<HHI", 101, 0, 65535))
    stamp = divmod(HALF_PAST_TEN * 1_000_000, 1 << 32)
    return head + interface + b"".join(
        block(6, struct.pack("<IIIII", 0, *stamp, len(one), len(one)) + one) for one in packets())


def hex_dump(data):
    rows = []
    for at in range(0, len(data), 16):
        part = data[at:at + 16]
        pairs = " ".join(part[i:i + 2].hex() for i in range(0, len(part), 2))
        shown = "".join(chr(c) if 32 <= c < 127 else "." for c in part)
        rows.append(f"{at:08x}: {pairs:<39}  {shown}\n")
    return "".join(rows).encode()


def zstd(data):
    sink = pyarrow.BufferOutputStream()
    with pyarrow.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(data)
    return sink.getvalue().to_pybytes()


def lines(form, separator=b"\x01"):
    return b"".join(form % (one.replace(b"\x01", separator),) for one in (ORDER, REPORT))


FILES = {
    "nexusfix.log": TEXT,
    "quickfix.messages.current.log": lines(b"20260115-10:30:00.123456789 : %s\n"),
    "quickfixj.log": lines(b"<20260115-10:30:00, FIX.4.4:T->V, outgoing> (%s)\n"),
    "quickfixgo.log": lines(b"2026/01/15 10:30:00.123456 <FIX.4.4:T->V, outgoing>\n  (%s)\n"),
    "fix8.log": lines(b"2026-01-15 10:30:00.123456789 > %s\n"),
    "bars.log": lines(b"%s\n", b"|"),
    "carets.log": lines(b"%s\n", b"^A"),
    "FIX.4.4-T-V.body": ORDER + REPORT,
    "windows.log": TEXT.decode().encode("utf-16"),
    "log.gz": gzip.compress(TEXT),
    "log.xz": lzma.compress(TEXT),
    "log.zst": zstd(TEXT),
    "dump.hex": hex_dump(ORDER + REPORT),
    "traffic.pcap": pcap(),
    "traffic.pcapng": pcapng(),
    "traffic.pcap.gz": gzip.compress(pcap()),
}


@pytest.mark.parametrize("name", FILES)
def test_each_kind_of_file_is_a_table(name, tmp_path):
    path = tmp_path / name
    path.write_bytes(FILES[name])
    names = ["MsgType", "ClOrdID", "Symbol"]
    table = nexusfix.read_log(path, fields=names).to_arrow()
    assert list(zip(*(table[name].to_pylist() for name in names), strict=True)) == [
        ("D", "A1", "SAP"), ("8", "A1", "SAP")]
    times = nexusfix.read_log(path).to_arrow()["time"].cast(pyarrow.int64()).to_pylist()
    assert [time // 1_000_000_000 for time in times] == [HALF_PAST_TEN] * 2


@pytest.mark.parametrize("name", FILES)
def test_each_kind_of_file_has_its_orders(name, tmp_path):
    path = tmp_path / name
    path.write_bytes(FILES[name])
    table = nexusfix.orders(path).to_arrow()
    names = ["cl_ord_id", "order_id", "ord_status"]
    assert [table[name].to_pylist() for name in names] == [["A1"], ["X1"], ["0"]]


def free_port():
    with socket.socket() as asked:
        asked.bind(("127.0.0.1", 0))
        return asked.getsockname()[1]


def test_a_journal_is_a_table(tmp_path):
    command = find_command()
    session = "[SESSION]\nBeginString=FIX.4.4\nSenderCompID={}\nTargetCompID={}\n"
    port = free_port()
    (tmp_path / "venue.cfg").write_text(
        f"[DEFAULT]\nConnectionType=acceptor\nSocketAcceptPort={port}\nFileStorePath=store\n"
        "NonStopSession=Y\nSocketAcceptHost=127.0.0.1\n" + session.format("V", "T"))
    (tmp_path / "trader.cfg").write_text(
        f"[DEFAULT]\nConnectionType=initiator\nSocketConnectHost=127.0.0.1\nHeartBtInt=30\n"
        f"SocketConnectPort={port}\nFileStorePath=trader\nNonStopSession=Y\nReconnectInterval=1\n"
        + session.format("T", "V"))
    (tmp_path / "order.txt").write_text(
        "send 35=D|11=A1|55=SAP|54=1|38=100|40=1|60=now\nwait 35=8\nquit\n")
    with subprocess.Popen([command, "serve", "venue.cfg"], cwd=tmp_path,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as venue:
        try:
            venue.stdout.readline()
            subprocess.run([command, "connect", "trader.cfg", "--script", "order.txt"],
                           cwd=tmp_path, capture_output=True, timeout=LIMIT_SECONDS, check=True)
        finally:
            venue.terminate()
    orders = nexusfix.read_log(tmp_path / "trader", "MsgType=D", ["ClOrdID"]).to_arrow()
    assert [orders[name].to_pylist() for name in ("ClOrdID", "direction")] == [["A1"], ["out"]]
    reports = nexusfix.read_log(tmp_path / "store", "MsgType=8", ["ClOrdID"]).to_arrow()
    assert set(reports["ClOrdID"].to_pylist()) == {"A1"}

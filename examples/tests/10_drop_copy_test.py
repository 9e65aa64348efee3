#!/usr/bin/env python3
"""A broker that sends reports to the drop-copy reader: 10_drop_copy_test.py EXAMPLE NEXUSFIX."""

import csv
import subprocess
import time

from counterparty import SECONDS_MAX, Client, Example, main

CONFIG = "10_drop_copy.cfg"
STREAM = 200


def report(exec_id, symbol="AAPL", more=""):
    return (f"35=8{more}|37=O1|17={exec_id}|150=F|39=1|11=A1|55={symbol}|54=1|32=5|31=10.25|151=95"
            "|14=5|6=10.25|60=now")


def rows(folder):
    with open(folder / "reports.csv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def log_out_when_there(broker, folder, count):
    """Waits until the file has this number of rows, and checks that no row follows."""
    deadline = time.monotonic() + SECONDS_MAX
    while len(rows(folder)) < count:
        assert time.monotonic() < deadline, f"{len(rows(folder))} of {count} rows"
        time.sleep(0.01)
    broker.say("logout")
    broker.wait_for("^logged out")
    broker.quit()


def start(nexusfix, program, folder):
    reader = Example(program, CONFIG, folder, arguments=[folder / "reports.csv"])
    return reader, Client(nexusfix, folder, reader.port, "BROKER", "READER")


def reports_become_rows(nexusfix, program, folder):
    reader, broker = start(nexusfix, program, folder)
    with reader, broker:
        for one in (report("E1"), report("E2", 'BRK,"B"'), report("E3")):
            broker.send(one)
        broker.send(report("E4").replace("|17=E4", ""))  # rejected
        broker.send("35=D|11=A1|55=AAPL|54=1|38=100|40=1|60=now")
        broker.expect("35=j|372=D|380=3")
        log_out_when_there(broker, folder, 3)
    assert [row["ExecID"] for row in rows(folder)] == ["E1", "E2", "E3"]
    second = rows(folder)[1]
    assert second["Symbol"] == 'BRK,"B"' and second["LastPx"] == "10.25", second
    assert second["MsgSeqNum"] == "3" and second["Session"].endswith("READER->BROKER"), second


def another_file_is_refused(program, folder):
    (folder / "reports.csv").write_text("Dear diary,\n", encoding="utf-8")
    result = subprocess.run([program, CONFIG, folder / "reports.csv"], capture_output=True,
                            text=True, check=False)
    assert result.returncode == 1 and "reports.csv is no file of reports" in result.stderr, result
    assert (folder / "reports.csv").read_text(encoding="utf-8") == "Dear diary,\n"
    (folder / "reports.csv").unlink()


def torn_row_and_lost_numbers_are_made_good(nexusfix, program, folder):
    """The last row is cut in the middle, and the reader's store has received nothing yet: the
    broker sends everything again, with PossDupFlag."""
    whole = (folder / "reports.csv").read_bytes()
    (folder / "reports.csv").write_bytes(whole[:-12])
    subprocess.run([nexusfix, "journal", "set", folder / "example", "FIX.4.4:READER->BROKER",
                    "--next-in", "2", "--reason", "a test", "--yes"], check=True)
    reader, broker = start(nexusfix, program, folder)
    with reader, broker:
        for one in (report("E4"), report("E4", more="|97=Y"), report("E1")):
            broker.send(one)
        log_out_when_there(broker, folder, 5)
    said = [(row["ExecID"], row["MsgSeqNum"]) for row in rows(folder)]
    # The last one has neither flag: it is another report, even with a known ExecID.
    assert [one[0] for one in said] == ["E1", "E2", "E3", "E4", "E1"], said
    assert [one[1] for one in said[:3]] == ["2", "3", "4"], said
    assert (folder / "reports.csv").read_bytes().startswith(whole)


def nothing_is_lost_or_doubled_when_the_reader_is_killed(nexusfix, program, folder):
    reader, broker = start(nexusfix, program, folder)
    with reader, broker:
        for number in range(STREAM):
            broker.send(report(f"S{number}"))
            if number % 50 == 49:  # repeat an earlier one
                reader.kill()
                reader = Example(program, CONFIG, folder, reader.port,
                                 arguments=[folder / "reports.csv"])
        with reader:
            log_out_when_there(broker, folder, 5 + STREAM)
    said = [row["ExecID"] for row in rows(folder)][5:]
    assert said == [f"S{number}" for number in range(STREAM)], said


def test(program, nexusfix, folder):
    another_file_is_refused(program, folder)
    reports_become_rows(nexusfix, program, folder)
    torn_row_and_lost_numbers_are_made_good(nexusfix, program, folder)
    nothing_is_lost_or_doubled_when_the_reader_is_killed(nexusfix, program, folder)


if __name__ == "__main__":
    main(test)

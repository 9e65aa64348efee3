#!/usr/bin/env python3
"""The log tools as processes: followed files, Ctrl-C, full disks, standard input."""

import gzip
import json
import os
import pty
import signal
import struct
import subprocess
import sys
import unittest

import command_test
from command_test import LIMIT_SECONDS, WithFolder, run


def message(number, more="", msg_type="D"):
    body = f"35={msg_type}|34={number}|49=T|52=20240115-10:30:00|56=V|{more}".replace("|", "\x01")
    text = f"8=FIX.4.4\x019={len(body)}\x01{body}"
    return f"{text}10={sum(text.encode()) % 256:03}\x01"


def order(number):
    return message(number, f"11=A{number}|55=SAP|54=1|38=100|44=1|")


def capture(*payloads):
    packets = b""
    sequence = 1
    for payload in payloads:
        payload = payload.encode()
        tcp = struct.pack(">HHIIBBHHH", 1, 2, sequence, 0, 0x50, 0x10, 1, 0, 0) + payload
        sequence += len(payload)
        packet = struct.pack(">BBHHHBBHII", 0x45, 0, 20 + len(tcp), 1, 0, 64, 6, 0, 1, 2) + tcp
        packets += struct.pack("<IIII", 1705314600, 0, len(packet), len(packet)) + packet
    return struct.pack("<IHHIIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 101) + packets


class LogTools(WithFolder):
    def start(self, *words):
        child = subprocess.Popen([command_test.NEXUSFIX, *words], stdin=subprocess.PIPE,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(child.kill)
        return child

    def end(self, child, expected_status):
        child.send_signal(signal.SIGINT)
        child.wait(LIMIT_SECONDS)  # its input is still open
        out, err = child.communicate()
        self.assertEqual(child.returncode, expected_status, err)
        return out, err

    def test_csv_on_a_terminal_has_no_control_characters_and_in_a_file_the_bytes(self):
        log = self.write("log", message(1, "11=\x1b]0;x\x07|58=\x9b31m|"))
        words = (command_test.NEXUSFIX, "decode", "--csv", "--fields", "11,58", str(log))
        main, side = pty.openpty()
        child = subprocess.Popen(words, stdout=side, env=os.environ | {"PAGER": "cat"})
        os.close(side)
        shown = b""
        while True:
            try:
                part = os.read(main, 4096)
            except OSError:  # the other side is closed
                break
            if not part:
                break
            shown += part
        os.close(main)
        self.assertEqual(child.wait(LIMIT_SECONDS), 0)
        self.assertIn(rb"\x1b]0;x\x07", shown)
        self.assertNotRegex(shown.replace(b"\r", b"").replace(b"\n", b""), rb"[\x00-\x1f\x7f]")
        self.assertIn(b"\x1b]0;x\x07", subprocess.run(words, capture_output=True,
                                                     check=True).stdout)

    def test_csv_for_a_spreadsheet_has_no_formula(self):
        log = self.write("log", message(1, "11==1+1|44=-1.5|58=@a|"))
        for form, row in (("--csv", "=1+1,-1.5,@a"),
                          ("--csv=spreadsheet", '"\'=1+1",-1.5,"\'@a"')):
            for words in (("decode",), ("grep", "MsgType=D")):
                done = run(*words, form, "--fields", "11,44,58", log)
                self.assertEqual(done.stdout.splitlines()[1], row, done.stderr)
        done = run("decode", "--csv=excel", log)
        self.assertEqual(done.returncode, 2)
        self.assertIn("excel: spreadsheet or no value was expected", done.stderr)

    def test_a_followed_log_is_printed_as_it_grows_and_through_a_rotation(self):
        log = self.write("log", order(1) + "\n")
        for words in (("grep", "-f", "MsgType=D"), ("decode", "--raw", "--follow")):
            child = self.start(*words, str(log))
            self.assertIn("11=A1", child.stdout.readline())
            with open(log, "a", encoding="utf-8") as file:
                file.write(order(2) + "\n")
            self.assertIn("11=A2", child.stdout.readline())
            log.rename(self.folder / "log.1")
            self.write("log", order(3) + "\n")
            self.assertIn("11=A3", child.stdout.readline())
            self.assertEqual(self.end(child, 0), ("", ""))
            log = self.write("log", order(1) + "\n")

    def test_bench_measures_a_log_a_capture_an_archive_and_standard_input(self):
        valid = [message(i, f"11=A{i}|55=SAP|54=1|60=20240115-10:30:00|38=100|40=1|")
                 for i in range(1, 4)]
        text = "".join(f"20240115-10:30:00.5 IN : {one}\n" for one in valid)
        packed = self.folder / "log.gz"
        packed.write_bytes(gzip.compress(text.encode()))
        packets = self.folder / "log.pcap"
        packets.write_bytes(capture(*valid))
        figures = self.folder / "figures.json"
        log = self.write("log", text)
        for path in (log, packed, packets, "-"):
            with open(log, encoding="utf-8") as given:
                done = run("bench", "--quick", "--from", path, "--json", figures, stdin=given)
            self.assertEqual(done.returncode, 0, done.stderr)
            read = json.loads(figures.read_text())
            self.assertEqual(read["messages"], 3, path)
            self.assertEqual([(row["name"], row.get("messages"), row["ns"] > 0)
                              for row in read["rows"]],
                             [("parse", 3, True), ("validate", 3, True),
                              ("inside/receive", 3, True), ("inside", 3, True)])

    def test_bench_uses_the_dictionary_of_the_venue(self):
        log = self.write("log", message(1, "20001=7|", msg_type="U9"))
        header = (8, "BeginString"), (9, "BodyLength"), (35, "MsgType"), (34, "MsgSeqNum"), (
            49, "SenderCompID"), (52, "SendingTime"), (56, "TargetCompID")
        known = "".join(f'<field number="{tag}" name="{name}" type="STRING"/>'
                        for tag, name in (*header, (10, "CheckSum"), (20001, "Blob")))
        begin = "".join(f'<field name="{name}" required="Y"/>' for _, name in header)
        own = self.write("own.xml", f"""<fix major="4" minor="4" type="FIX"><header>{begin}</header>
            <trailer><field name="CheckSum" required="Y"/></trailer><components/>
            <messages><message name="Ping" msgtype="U9" msgcat="app">
            <field name="Blob" required="Y"/></message></messages>
            <fields>{known}</fields></fix>""")
        done = run("bench", "--quick", "--from", log)
        self.assertIn("validate        not measured: no message is valid", done.stdout)
        done = run("bench", "--quick", "--from", log, "--dict", own)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("not measured", done.stdout)

    def test_ctrl_c_prints_the_counts_and_ends_with_1(self):
        child = self.start("grep", "--count", "MsgType=D")
        child.stdin.write(order(1) + order(2) + "\n")
        child.stdin.flush()
        with self.assertRaises(subprocess.TimeoutExpired):
            child.wait(0.5)
        out, err = self.end(child, 1)
        self.assertEqual(out, "2\n")
        self.assertEqual(err, "nexusfix grep: standard input: interrupted\n")

    def threads_of_a_reader(self, *words):
        """Of a process that reads standard input: it has read more than a pipe can hold."""
        with subprocess.Popen([command_test.NEXUSFIX, *words, "-"], stdin=subprocess.PIPE,
                              stdout=subprocess.DEVNULL, text=True) as child:
            child.stdin.write((order(1) + "\n") * 20_000)
            threads = len(os.listdir(f"/proc/{child.pid}/task"))
            child.stdin.close()
            self.assertEqual(child.wait(LIMIT_SECONDS), 0)
        return threads

    def test_jobs_0_is_a_thread_for_each_core(self):
        cores = os.cpu_count()
        for words in (("grep", "--raw", "35=D"), ("decode", "--ndjson")):
            one = self.threads_of_a_reader(*words, "-j", "1")
            self.assertEqual(self.threads_of_a_reader(*words, "-j", "3"), one + 3, words)
            self.assertEqual(self.threads_of_a_reader(*words, "-j", "0"),
                             one + (min(cores, 64) if cores > 1 else 0), words)

    def test_a_full_disk_ends_with_one_line_and_1(self):
        log = self.write("log", order(1) * 20_000)
        for words in (("decode",), ("decode", "--ndjson"), ("grep", "35=D"), ("grep", "-c", "35=D"),
                      ("stats",), ("order", "A1")):
            with open("/dev/full", "wb") as full:
                done = subprocess.run([command_test.NEXUSFIX, *words, log], stdout=full,
                                      stderr=subprocess.PIPE, text=True, timeout=LIMIT_SECONDS,
                                      check=False)
            self.assertEqual(done.returncode, 1, words)
            self.assertRegex(done.stderr, r"\Anexusfix: standard output could not be written.*\n\Z")

    def test_an_archive_that_is_cut_has_its_messages_and_the_status_1(self):
        packed = gzip.compress("".join(order(number) for number in range(1, 5000)).encode())
        path = self.folder / "log.gz"
        path.write_bytes(packed[:len(packed) // 2])
        for words in (("grep", "-c", "35=D"), ("decode", "--raw"), ("stats",)):
            done = run(*words, str(path))
            self.assertEqual(done.returncode, 1, words)
            self.assertEqual(done.stderr,
                             f"nexusfix {words[0]}: {path}: gzip: the archive is cut\n")
        self.assertGreater(int(run("grep", "-c", "35=D", str(path)).stdout), 1000)

    def test_a_capture_comes_from_a_pipe_and_from_an_archive(self):
        bytes_ = capture(order(1)[:50], order(1)[50:] + order(2))
        path = self.folder / "x.pcap.gz"
        path.write_bytes(gzip.compress(bytes_))
        done = subprocess.run([command_test.NEXUSFIX, "grep", "-c", "35=D", "-", path],
                              input=bytes_, capture_output=True, timeout=LIMIT_SECONDS, check=False)
        self.assertEqual(done.stdout.decode(), f"standard input:2\n{path}:2\n")
        self.assertEqual((done.returncode, done.stderr), (0, b""))

    def test_binary_bytes_and_a_message_without_an_end_need_little_memory(self):
        path = self.folder / "log"
        with open(path, "wb") as file:
            file.write(os.urandom(1 << 20) + b"\0" * (4 << 20) + order(1).encode())
            file.write(b"8=FIX.4.4\x019=999999999\x0135=D\x0158=")
            for _ in range(300):
                file.write(b"x" * (1 << 20))
        with subprocess.Popen([command_test.NEXUSFIX, "grep", "-c", "11=A1", path],
                              stdout=subprocess.PIPE) as child:
            self.assertEqual(child.stdout.read(), b"1\n")
            _, _, usage = os.wait4(child.pid, 0)
            child.returncode = 0
        self.assertLess(usage.ru_maxrss, 200 * 1024)

    def test_order_reads_standard_input_as_often_as_it_must(self):
        report = message(1, "37=O1|17=E1|11=A2|41=A1|150=5|39=0|38=7|14=0|151=7|6=0|", "8")
        log = order(1) + message(2, "11=A2|41=A1|38=7|", "G") + report
        done = subprocess.run([command_test.NEXUSFIX, "order", "E1"], input=log, text=True,
                              capture_output=True, timeout=LIMIT_SECONDS, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("NewOrderSingle: BUY 100 SAP at 1 ClOrdID A1", done.stdout)
        self.assertIn("State now: NEW  OrderQty 7  CumQty 0  LeavesQty 7  AvgPx 0", done.stdout)

    def test_diff_has_the_statuses_of_diff(self):
        one = str(self.write("one", order(1) + order(2)))
        two = str(self.write("two", order(2)))
        self.assertEqual(run("diff", one, one).returncode, 0)
        self.assertEqual(run("diff", one, two).returncode, 1)
        self.assertEqual(run("diff", "-q", one, two).stdout, "")
        self.assertEqual(run("diff", one, "none").returncode, 2)
        self.assertEqual(run("diff", one).returncode, 2)

    def test_help_names_each_log_tool_with_an_example(self):
        overview = run("--help").stdout
        for name in ("anonymise", "decode", "diff", "export", "grep", "order", "replay", "stats",
                     "validate"):
            command_test.assert_help(self, overview, name)
            self.assertNotRegex(run(name, "--help").stdout, r"UINT|\{|\[\d")

    def test_unknown_colour_is_answered_with_the_known_ones(self):
        done = run("decode", "--color=purple")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--color: purple: auto, always or never was expected\n", done.stderr)
        for known in ("auto", "always", "never"):
            self.assertEqual(run("decode", f"--color={known}").returncode, 1)  # no message
        heartbeat = "8=FIX.4.4|9=5|35=0|10=163|\n"
        done = subprocess.run([command_test.NEXUSFIX, "decode", "--color=always"], input=heartbeat,
                              text=True, capture_output=True, timeout=LIMIT_SECONDS, check=False)
        self.assertIn("\x1b[", done.stdout)

    def test_output_that_is_lost_is_no_success(self):
        sound = self.write("sound.log", "8=FIX.4.4|9=5|35=0|10=163|\n")
        self.assertEqual(run("decode", sound).returncode, 0)
        for arguments in (("decode", sound), ("decode", "--json", sound), ("grep", "35=0", sound),
                          ("grep", "-c", "35=0", sound), ("stats", sound)):
            done = command_test.run_into_full_disk(*arguments)
            self.assertEqual(done.returncode, 1, arguments)
            self.assertIn("standard output could not be written", done.stderr)


if __name__ == "__main__":
    command_test.NEXUSFIX = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)

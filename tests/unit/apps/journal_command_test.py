#!/usr/bin/env python3
"""`nexusfix journal` from the view of an operator: its output, its exit status, and its changes."""

import fcntl
import json
import os
import struct
import subprocess
import sys
import unittest

import command_test
from command_test import WithFolder, run

VENUE = "FIX.4.4:VENUE->TRADER"
ORDER = "send 35=D|11=A{0}|55=AAPL|54=1|38=100|40=2|44=10.5|60=now\nexpect 35=8 150=0\n"


class Journal(WithFolder):
    def setUp(self):
        super().setUp()
        venue, port = self.serve()
        done = self.connect(port, "".join(ORDER.format(n) for n in range(1, 6)))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.end(venue)
        self.journal = self.folder / "venue"
        self.segment = self.journal / "0000000001.journal"

    def numbers(self):
        shown = json.loads(run("journal", "show", self.journal, "--json").stdout)
        [session] = shown["sessions"]
        return session["next_inbound"], session["next_outbound"], session["epoch"]

    def damage(self, text):
        """Flips a bit of this text in the segment."""
        contents = bytearray(self.segment.read_bytes())
        contents[contents.index(text)] ^= 0x20
        self.segment.write_bytes(contents)

    def test_show_filters_messages_by_session_number_and_epoch(self):
        done = run("journal", "show", self.journal, "--session", VENUE, "--from", 3, "--to", 4)
        lines = done.stdout.splitlines()
        self.assertEqual([line.split("  ")[:3] for line in lines],
                         [[VENUE, "epoch 1", "3"], [VENUE, "epoch 1", "4"]])
        self.assertIn("|34=3|", lines[0])
        done = run("journal", "show", self.journal, "--from", 3, "--to", 3, "--json")
        self.assertEqual(json.loads(done.stdout)["number"], 3)
        done = run("journal", "show", self.journal, "--from", 3, "--to", 3, "--decode")
        self.assertRegex(done.stdout, r"39 +OrdStatus +0 \(NEW\)")
        self.assertEqual(run("journal", "show", self.journal, "--epoch", 2).returncode, 1)
        done = run("journal", "show", self.journal, "--session", "missing")
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"there is no session 'missing' in it; there is: {VENUE}", done.stderr)

    def test_part_of_a_name_that_one_session_has_names_it(self):
        other = "FIX.4.2:VENUE->TRADER2"
        done = run("journal", "set", self.journal, other, "--next-in", 7, "--new", "--yes")
        self.assertEqual(done.returncode, 0, done.stderr)
        for part in ("trader", "4.4", VENUE):
            shown = run("journal", "show", self.journal, "--session", part, "--json")
            [session] = json.loads(shown.stdout)["sessions"]
            self.assertEqual(session["name"], VENUE)
        done = run("journal", "show", self.journal, "--session", "Trader", "--from", 3, "--to", 3)
        self.assertIn("|34=3|", done.stdout)
        done = run("journal", "set", self.journal, "ader2", "--next-in", 9, "--yes")
        self.assertIn(f"{other}\n  now: next inbound 7", done.stdout)
        done = run("journal", "export", self.journal, "--session", "trader2", "--quickfix",
                   self.folder / "quickfix")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(all("TRADER2" in file.name for file in
                            (self.folder / "quickfix").iterdir()))
        several = f"'venue' may be any of 2 sessions; there is: {VENUE}, {other}"
        unknown = "there is no session 'FIX.4.4:VENUE->TRADE'"
        for name, text in (("venue", several), ("FIX.4.4:VENUE->TRADE", unknown)):
            for arguments in (("show", self.journal, "--session", name),
                              ("set", self.journal, name, "--next-in", 3, "--yes"),
                              ("export", self.journal, "--session", name, "--quickfix",
                               self.folder / "refused")):
                done = run("journal", *arguments)
                self.assertEqual(done.returncode, 1, arguments)
                self.assertIn(text, done.stderr)

    def test_verify_of_a_sound_journal_ends_with_0(self):
        done = run("journal", "verify", self.journal)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertTrue(done.stdout.endswith("\nsound\n"), done.stdout)
        done = run("journal", "verify", self.journal, "--json")
        self.assertTrue(json.loads(done.stdout)["sound"])
        self.assertIn("nothing to repair", run("journal", "repair", self.journal).stdout)

    def test_retired_segments_are_archived_and_read_from_their_archives(self):
        done = run("journal", "archive", self.journal)
        self.assertEqual(done.returncode, 1)
        self.assertIn("JournalRetired=keep", done.stderr)
        retired = self.journal / "retired"
        retired.mkdir()
        whole = run("journal", "show", self.journal, "--messages").stdout
        self.segment.rename(retired / self.segment.name)
        size = (retired / self.segment.name).stat().st_size

        done = run("journal", "archive", self.journal)
        self.assertEqual(done.returncode, 0, done.stderr)
        archive = retired / (self.segment.name + ".zst")
        self.assertIn(str(archive), done.stdout)
        self.assertEqual([path.name for path in retired.iterdir()], [archive.name])
        self.assertLess(archive.stat().st_size, size)
        done = run("journal", "show", self.journal, "--archived", "--messages")
        self.assertEqual(done.stdout, whole)
        self.assertEqual(run("journal", "verify", self.journal, "--archived").returncode, 0)
        self.assertIn("no retired segment", run("journal", "archive", self.journal).stdout)

        damaged = bytearray(archive.read_bytes())
        damaged[len(damaged) // 2] ^= 1
        archive.write_bytes(damaged)
        done = run("journal", "verify", self.journal, "--archived")
        self.assertEqual(done.returncode, 1)
        self.assertIn("unpack (it is damaged", done.stderr)
        self.assertIn(str(archive), done.stderr)

    def test_damage_is_reported_and_repaired_and_the_venue_continues(self):
        before = self.numbers()
        self.damage(b"\x0134=3\x01")
        damaged = self.segment.read_bytes()
        done = run("journal", "verify", self.journal)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"(?m)^damaged: first bad offset \d+ of \S+1\.journal")
        self.assertIn(f"session {VENUE}: number 3 of epoch 1 is lost", done.stdout)
        report = json.loads(run("journal", "verify", self.journal, "--json").stdout)
        self.assertFalse(report["sound"])
        self.assertEqual(len(report["damages"]), 1)

        done = run("journal", "repair", self.journal, "--dry-run")
        self.assertEqual(done.returncode, 0)
        self.assertIn("Nothing was changed", done.stdout)
        self.assertEqual(self.segment.read_bytes(), damaged)
        done = run("journal", "repair", self.journal)
        self.assertEqual(done.returncode, 1)
        self.assertIn("not confirmed", done.stderr)
        self.assertEqual(self.segment.read_bytes(), damaged)

        done = run("journal", "repair", self.journal, "--yes", "--reason", "bad disk")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"ALARM session {VENUE}: what was sent as number 3 of epoch 1 is lost",
                      done.stdout)
        copy = done.stdout.rpartition("The original files are in ")[2].strip()
        with open(os.path.join(copy, "0000000001.journal"), "rb") as file:
            self.assertEqual(file.read(), damaged)
        self.assertEqual(run("journal", "verify", self.journal).returncode, 0)
        self.assertEqual(self.numbers(), before)
        numbers = [json.loads(line)["number"] for line in
                   run("journal", "show", self.journal, "--messages", "--json").stdout.splitlines()]
        self.assertNotIn(3, numbers)
        self.assertIn(4, numbers)

    def start_venue(self, *arguments, more=""):
        venue = subprocess.Popen([command_test.NEXUSFIX, "serve", self.venue_config(more=more),
                                  *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, text=True)
        self.addCleanup(venue.communicate)
        self.addCleanup(venue.kill)
        line = venue.stdout.readline()
        self.assertIn("listening on port", line, None if line else venue.stderr.read())
        return venue, int(line.split()[-1])

    def stop_venue(self, venue):
        venue.terminate()
        errors = venue.communicate(timeout=600)[1]
        self.assertEqual(venue.returncode, 0, errors)
        return errors

    def repair_without(self, text):
        self.damage(text)
        done = run("journal", "repair", self.journal, "--yes", "--reason", "bad disk")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("is lost", done.stdout)

    def book(self):
        done = run("serve", self.folder / "venue.cfg", "--dump-book")
        self.assertEqual(done.returncode, 0, done.stderr)
        return {one["cl_ord_id"]: one for one in json.loads(done.stdout)["orders"]}, done.stderr

    def test_a_venue_whose_log_lost_a_report_continues_with_accept_losses(self):
        self.repair_without(b"\x0111=A3\x01")
        for _ in range(2):
            refused = run("serve", self.folder / "venue.cfg")
            self.assertEqual(refused.returncode, 1)
            self.assertIn("lost: reports E3 (ExecID) before message 5 of session " + VENUE,
                          refused.stderr)
            self.assertIn("--accept-losses", refused.stderr)
        book, errors = self.book()
        self.assertEqual(sorted(book), ["A1", "A2", "A4", "A5"])
        self.assertIn("ALARM: lost: reports E3", errors)

        venue, port = self.start_venue("--accept-losses")
        errors = self.stop_venue(venue)
        self.assertIn("ALARM: lost: reports E3", errors)
        self.assertIn("4 open orders are canceled, and reported to their owners: "
                      f"A1 of session {VENUE}",
                      errors)
        # Now it starts normally, also with the flag, and no number is assigned again.
        for arguments in ((), ("--accept-losses",)):
            venue, port = self.start_venue(*arguments)
            name = f"B{len(arguments)}"
            order = f"send 35=D|11={name}|55=AAPL|54=1|38=100|40=2|44=10.5|60=now\n"
            done = self.connect(port, order + f"wait 35=8 11={name} 150=0\n")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertNotIn("ALARM: lost", self.stop_venue(venue))
        book, errors = self.book()
        self.assertNotIn("ALARM", errors)
        for name in ("A1", "A2", "A4", "A5"):
            self.assertEqual(book[name]["status"], "canceled")
        self.assertEqual(book["B0"]["status"], "new")
        self.assertEqual(book["B0"]["order_id"], "O16777216")
        self.assertEqual(book["B1"]["order_id"], "O16777217")

    def test_a_venue_whose_last_report_is_lost_refuses_and_reuses_no_number(self):
        self.repair_without(b"\x0111=A5\x01")
        refused = run("serve", self.folder / "venue.cfg")
        self.assertEqual(refused.returncode, 1)
        self.assertIn(f"lost: what was sent to session {VENUE} as MsgSeqNum 6 to ", refused.stderr)
        venue, port = self.start_venue("--accept-losses")
        # The trader first gets the reports of its canceled orders.
        done = self.connect(port, ORDER.format(6).replace("expect 35=8 150=0",
                                                          "wait 35=8 11=A6 150=0"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("58=messages of this order may be lost", done.stdout)
        self.assertIn("4 open orders are canceled", self.stop_venue(venue))
        book, _ = self.book()
        self.assertEqual(book["A6"]["order_id"], "O16777216")

    OTHER = "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=OTHER\n"

    def damage_logon_of_first_session(self):
        """Flips a bit in the first record that uses a number without a message."""
        contents = bytearray(self.segment.read_bytes())
        at = 48 if contents[8] == 1 else 128
        while True:
            [length] = struct.unpack_from("<I", contents, at + 4)
            kinds, entry = [], at + 16
            while entry < at + 16 + length:
                kind, session, _, size = struct.unpack_from("<BIQI", contents, entry)
                kinds.append((kind, session))
                entry += 17 + size
            if (4, 0) in kinds:
                contents[at + 20] ^= 1
                self.segment.write_bytes(contents)
                return
            at += 16 + length

    def test_a_venue_continues_with_the_undamaged_sessions(self):
        venue, port = self.serve(more=self.OTHER)
        # The venue itself does not start while a refused session has open orders.
        sold = "send 35=D|11=S|55=AAPL|54=2|38=500|40=2|44=10.5|60=now\nwait 35=8 11=S 39=2\n"
        self.assertEqual(self.connect(port, sold).returncode, 0)
        self.assertEqual(self.connect(port, ORDER.format(9), name="OTHER").returncode, 0)
        self.end(venue)
        self.damage_logon_of_first_session()
        with subprocess.Popen([command_test.NEXUSFIX, "serve",
                               self.venue_config(more=self.OTHER)], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as venue:
            self.addCleanup(venue.kill)
            line = venue.stdout.readline()
            self.assertIn("listening on port", line, None if line else venue.stderr.read())
            port = int(line.split()[-1])
            done = self.connect(port, ORDER.format(10), name="OTHER")
            self.assertEqual(done.returncode, 0, done.stderr)
            done = run("journal", "set", self.journal, VENUE, "--next-in", 50, "--next-out", 50,
                       "--yes")
            self.assertEqual(done.returncode, 1)
            self.assertIn("Stop the engine first, then set both", done.stderr)
            venue.terminate()
            errors = venue.communicate(timeout=600)[1]
            self.assertEqual(venue.returncode, 0, errors)
        self.assertIn(f"session {VENUE}: number 1 of epoch 1 is lost. It is refused, sessions "
                      "that lost nothing are not", errors)
        self.assertIn(f"nexusfix journal repair {self.journal} --dry-run", errors)

    def test_a_log_whose_end_is_missing_is_refused_and_continues_after_a_repair(self):
        inbound, outbound, _ = self.numbers()
        whole = self.segment.read_bytes()
        self.segment.write_bytes(whole[:-100])
        done = run("journal", "verify", self.journal)
        self.assertEqual(done.returncode, 1)
        self.assertIn("LOST " + str(self.segment), done.stdout)
        self.assertIn("its end is missing: opening refuses it", done.stdout)
        report = json.loads(run("journal", "verify", self.journal, "--json").stdout)
        self.assertFalse(report["sound"])
        self.assertIn("it was closed in order", report["lost_end"])
        self.assertEqual(run("journal", "show", self.journal).returncode, 1)
        shown = json.loads(run("journal", "show", self.journal, "--json").stdout)
        self.assertIn("it was closed in order", shown["lost_end"])
        for command in (["serve", self.folder / "venue.cfg"],
                        ["journal", "set", self.journal, VENUE, "--next-out", 99, "--yes"],
                        ["journal", "export", self.journal, "--quickfix", self.folder / "to"]):
            done = run(*command)
            self.assertEqual(done.returncode, 1)
            self.assertIn("The end of the log is missing", done.stderr)
            self.assertIn(f"nexusfix journal repair {self.journal}", done.stderr)

        done = run("journal", "repair", self.journal, "--yes")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"ALARM session {VENUE}: what may have been sent as number", done.stdout)
        self.assertEqual(run("journal", "verify", self.journal).returncode, 0)
        self.assertGreaterEqual(self.numbers()[1], outbound)
        done = run("serve", self.folder / "venue.cfg")
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"what was sent to session {VENUE} as MsgSeqNum", done.stderr)
        for arguments in (("--accept-losses",), ()):
            venue, port = self.serve(arguments=arguments)
            self.assertEqual(self.connect(port, "").returncode, 0)
            self.end(venue)

    def test_a_journal_whose_only_segment_is_missing_does_not_begin_at_1(self):
        self.segment.unlink()
        done = run("serve", self.folder / "venue.cfg")
        self.assertEqual(done.returncode, 1)
        self.assertIn("there is no segment, but the file owner records", done.stderr)
        self.assertEqual(run("journal", "verify", self.journal).returncode, 1)
        done = run("journal", "repair", self.journal, "--yes")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("the next opening begins a new journal", done.stdout)
        venue, _ = self.serve()
        self.end(venue)

    def test_a_venue_without_an_undamaged_session_does_not_start(self):
        self.damage_logon_of_first_session()
        done = run("serve", self.folder / "venue.cfg")
        self.assertEqual(done.returncode, 1)
        self.assertIn("damaged at offset", done.stderr)
        self.assertIn("and so is every session of this journal", done.stderr)

    def test_set_records_the_operator_and_the_reason(self):
        inbound, outbound, _ = self.numbers()
        done = run("journal", "set", self.journal, VENUE, "--next-in", inbound + 5,
                   "--next-out", outbound + 7, "--reason", "agreed by phone", "--yes")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.numbers(), (inbound + 5, outbound + 7, 1))
        self.assertIn(f"MsgSeqNum {outbound} to {outbound + 6} will never be sent", done.stdout)
        done = run("journal", "show", self.journal, "--changes")
        self.assertRegex(done.stdout, rf"before: next inbound {inbound}, next outbound {outbound}, "
                                      r"epoch 1\n.*\n +\S+@\S+: agreed by phone\n")

    def test_set_to_a_used_number_says_so_and_begins_an_epoch(self):
        inbound, _, _ = self.numbers()
        done = run("journal", "set", self.journal, VENUE, "--next-out", 2)
        self.assertEqual(done.returncode, 1)
        self.assertIn("not confirmed", done.stderr)
        self.assertEqual(self.numbers()[2], 1)
        done = run("journal", "set", self.journal, VENUE, "--next-out", 2, "--yes")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("no two messages have the same", done.stdout)
        self.assertEqual(self.numbers(), (inbound, 2, 2))

    def test_a_set_that_is_not_confirmed_leaves_the_log_closed(self):
        done = run("journal", "set", self.journal, VENUE, "--next-in", 99)
        self.assertIn("not confirmed", done.stderr)
        # An open log has whole segments of 64 MiB.
        sizes = {file.name: file.stat().st_size for file in self.journal.iterdir()}
        self.assertTrue(sizes)
        self.assertTrue(all(size < 1_000_000 for size in sizes.values()), sizes)

    def test_set_of_lower_inbound_keeps_the_epoch(self):
        _, outbound, _ = self.numbers()
        done = run("journal", "set", self.journal, VENUE, "--next-in", 2, "--yes")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("will request 2 to", done.stdout)
        self.assertEqual(self.numbers(), (2, outbound, 1))

    def test_set_creates_a_session_on_request(self):
        name = "FIX.4.4:VENUE->A%2FB"
        for arguments, text in (
                ((name, "--next-in", 7, "--yes"), "there is no session"),
                ((name, "--next-in", 7, "--new"), "without a terminal, use --yes"),
                (("FIX.4.4:VENUE->A->B", "--next-in", 7, "--new", "--yes"),
                 "is no name of a session")):
            done = run("journal", "set", self.journal, *arguments)
            self.assertEqual(done.returncode, 1, done.stdout)
            self.assertIn(text, done.stderr)
        self.assertNotIn(name, run("journal", "show", self.journal).stdout)
        done = run("journal", "set", self.journal, name, "--next-in", 7, "--new", "--yes")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(name, run("journal", "show", self.journal).stdout)
        done = run("journal", "set", self.journal, name, "--next-in", 9, "--yes")
        self.assertIn("now: next inbound 7, next outbound 1", done.stdout)

    def test_set_refuses_what_it_cannot_do(self):
        for arguments, status, text in (
                ((VENUE, "--yes"), 2, "--next-in or --next-out"),
                ((VENUE, "--next-in", 0, "--yes"), 2, "--next-in"),
                ((VENUE, "--next-in", 10 ** 18 + 1, "--yes"), 2, "1000000000000000000"),
                ((VENUE, "--next-out", 2 ** 62, "--yes"), 2, "1000000000000000000"),
                (("missing", "--next-in", 3, "--yes"), 1, "there is no session 'missing'")):
            done = run("journal", "set", self.journal, *arguments)
            self.assertEqual(done.returncode, status, done.stderr)
            self.assertIn(text, done.stderr)
        empty = self.folder / "empty"
        done = run("journal", "set", empty, VENUE, "--next-in", 3, "--yes")
        self.assertEqual(done.returncode, 1)
        self.assertFalse(empty.exists())

    def test_a_refused_session_goes_to_no_other_engine_and_is_set_by_both_numbers(self):
        inbound, outbound, _ = self.numbers()
        self.damage_logon_of_first_session()
        done = run("journal", "show", self.journal, "--json")
        self.assertEqual(done.returncode, 1)
        shown = json.loads(done.stdout)
        self.assertEqual([one["session"] for one in shown["refused"]], [VENUE])
        self.assertEqual(len(shown["damages"]), 1)
        to = self.folder / "quickfix"
        done = run("journal", "export", self.journal, "--quickfix", to)
        self.assertEqual(done.returncode, 1)
        self.assertIn("damaged at offset", done.stderr)
        self.assertFalse(any(to.glob("*.seqnums")))
        done = run("journal", "set", self.journal, VENUE, "--next-in", inbound, "--yes")
        self.assertEqual(done.returncode, 1)
        self.assertIn("set both --next-in and --next-out", done.stderr)
        done = run("journal", "set", self.journal, VENUE, "--next-in", inbound, "--next-out",
                   outbound, "--yes")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(run("journal", "repair", self.journal, "--yes").returncode, 0)
        done = run("journal", "show", self.journal, "--json")
        self.assertEqual(done.returncode, 0)
        shown = json.loads(done.stdout)
        self.assertEqual(shown["refused"], [])
        self.assertEqual(self.numbers()[:2], (inbound, outbound))

    def test_an_unknown_subcommand_is_named_with_those_that_there_are(self):
        done = run("journal", "check", str(self.folder))
        self.assertEqual(done.returncode, 2)
        self.assertIn("nexusfix journal: there is no subcommand 'check'; there are show, verify",
                      done.stderr)

    def test_an_empty_name_is_no_folder(self):
        for command in (["show"], ["verify"], ["repair"]):
            done = run("journal", *command, "")
            self.assertEqual(done.returncode, 1)
            self.assertIn("the name of the journal's folder is empty", done.stderr)

    def test_a_pipe_among_the_files_is_refused_and_not_waited_for(self):
        files = self.folder / "quickfix"
        files.mkdir()
        (files / "FIX.4.4-A-B.seqnums").write_text("0000000001 : 0000000001\n")
        (files / "FIX.4.4-A-B.session").write_text("20261120-22:23:48")
        (files / "FIX.4.4-A-B.header").write_text("")
        os.mkfifo(files / "FIX.4.4-A-B.body")
        done = run("journal", "import", self.folder / "new", "--quickfix", files)
        self.assertEqual(done.returncode, 1)
        self.assertIn("FIX.4.4-A-B.body: it is no regular file", done.stderr)

    def test_bytes_after_the_last_record_of_a_segment_are_in_the_json_too(self):
        report = json.loads(run("journal", "verify", self.journal, "--json").stdout)
        self.assertEqual(report["unused"], [])

    def test_a_missing_configuration_is_no_folder(self):
        name = self.folder / "typo.cfg"
        done = run("journal", "import", name, "--quickfix", self.folder)
        self.assertEqual(done.returncode, 1)
        self.assertIn("there is no such configuration file", done.stderr)
        self.assertFalse(name.exists())

    def test_of_several_loops_one_log_must_be_named(self):
        config = self.folder / "loops.cfg"
        config.write_text("[DEFAULT]\nConnectionType=acceptor\nSocketAcceptPort=0\n"
                          f"NonStopSession=Y\nEventLoops=2\nFileStorePath={self.journal}\n"
                          + self.OTHER)
        done = run("journal", "verify", config)
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"{self.journal}, {self.journal}/loop-1", done.stderr)

    def test_a_running_engine_sets_the_numbers_of_a_session_that_is_logged_out(self):
        inbound, outbound, _ = self.numbers()
        venue, port = self.serve()
        done = run("journal", "set", self.journal, VENUE, "--next-in", inbound + 5, "--reason",
                   "agreed by phone")
        self.assertIn("not confirmed", done.stderr)
        self.assertEqual(self.numbers()[0], inbound)
        done = run("journal", "set", self.journal, VENUE, "--next-in", inbound + 5, "--next-out",
                   outbound + 7, "--reason", "agreed by phone", "--yes")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"now: next inbound {inbound}, next outbound {outbound}", done.stdout)
        self.assertIn("Set by the running engine", done.stdout)
        self.assertEqual(self.numbers(), (inbound + 5, outbound + 7, 1))
        done = run("journal", "show", self.journal, "--changes")
        self.assertRegex(done.stdout, r"\S+@\S+: agreed by phone \(given to the running engine by "
                                      rf"user {os.getuid()}, process \d+\)\n")
        self.assertEqual(run("journal", "verify", self.journal).returncode, 0)
        self.end(venue)
        self.assertEqual(self.numbers(), (inbound + 5, outbound + 7, 1))
        self.assertFalse((self.journal / "control").exists())

    def test_a_running_engine_refuses_a_session_that_it_does_not_have(self):
        venue, _ = self.serve()
        done = run("journal", "set", self.journal, "missing", "--next-in", 99, "--yes")
        self.assertEqual(done.returncode, 1)
        self.assertIn("there is no session 'missing'", done.stderr)
        self.end(venue)

    def test_a_journal_that_is_in_use_by_no_engine_is_not_changed(self):
        before = self.numbers()
        folder = os.open(self.journal, os.O_RDONLY)
        fcntl.flock(folder, fcntl.LOCK_EX)
        done = run("journal", "set", self.journal, VENUE, "--next-in", 99, "--yes")
        self.assertEqual(done.returncode, 1)
        self.assertIn("is no engine that accepts commands", done.stderr)
        os.close(folder)
        self.assertEqual(self.numbers(), before)


if __name__ == "__main__":
    command_test.NEXUSFIX = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)

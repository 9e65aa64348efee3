#!/usr/bin/env python3
"""`nexusfix journal` and `serve` on a log in PostgreSQL. Arguments: nexusfix, and the program that
starts a server."""

import json
import os
import subprocess
import sys
import unittest

import command_test
from command_test import LIMIT_SECONDS, WithFolder, run, wait_until

SERVER = ""  # set by main
VENUE = "FIX.4.4:VENUE->TRADER"
ORDER = "send 35=D|11=A{0}|55=AAPL|54=1|38=100|40=2|44=10.5|60=now\nexpect 35=8 150=0\n"


class PostgresLog(WithFolder):
    @classmethod
    def setUpClass(cls):
        cls.server = subprocess.Popen([SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                      text=True)
        cls.host = cls.server.stdout.readline().strip()
        if not cls.host.startswith("/"):
            print(cls.host)  # ctest looks for it
            raise unittest.SkipTest(cls.host)

    @classmethod
    def tearDownClass(cls):
        cls.server.communicate(timeout=600)

    count = 0

    def setUp(self):
        super().setUp()
        PostgresLog.count += 1
        self.schema = f"venue_{self.count}"
        venue, port = self.serve()
        done = self.connect(port, "".join(ORDER.format(n) for n in range(1, 6)))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.venue = venue
        self.log = self.folder / "venue.cfg"

    def venue_config(self, begin_string="FIX.4.4", port=0, more=""):
        return self.config_of("venue.cfg", self.schema)

    def config_of(self, name, schema):
        return self.write(name,
                          "[DEFAULT]\nConnectionType=acceptor\nSocketAcceptHost=127.0.0.1\n"
                          f"SocketAcceptPort=0\nStore=postgresql\nPostgreSQLStoreHost={self.host}\n"
                          "PostgreSQLStoreUser=nexusfix\nPostgreSQLStoreDatabase=postgres\n"
                          f"PostgreSQLStoreSchema={schema}\n"
                          f"FileStorePath={self.folder}/store\n"
                          f"ControlSocket={self.folder}/control\n"
                          "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\n"
                          "TargetCompID=TRADER\n")

    def numbers(self, config=None):
        done = run("journal", "show", config or self.log, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        [session] = json.loads(done.stdout)["sessions"]
        self.assertEqual(session["name"], VENUE)
        return session["next_inbound"], session["next_outbound"], session["epoch"]

    def refused(self, text, *arguments):
        done = run(*arguments)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn(text, done.stderr)

    def query(self, text):
        done = subprocess.run(["psql", "-h", self.host, "-U", "nexusfix", "-d", "postgres", "-Atc",
                               text], capture_output=True, text=True, timeout=LIMIT_SECONDS,
                              check=True)
        return done.stdout.splitlines()

    def test_an_act_on_the_running_engine_is_recorded_in_the_database(self):
        done = run("ctl", "--engine", self.log, "disable", VENUE, "--reason", "fat finger", "--yes")
        self.assertEqual(done.returncode, 0, done.stderr)
        changes = (f"SELECT name, reason FROM {self.schema}.number_change_list "
                   "WHERE inbound_before = inbound_after")
        wait_until(lambda: self.query(changes), "the record of the act")
        [record] = self.query(changes)
        self.assertRegex(record, rf"^{VENUE}\|operator: disable: .*: fat finger \(given to the "
                                 r"running engine by .*\)$")

    def test_show_set_and_the_book(self):
        self.end(self.venue)
        done = run("journal", "show", self.log)
        self.assertIn(f"PostgreSQL store {self.schema} of {self.log}: ", done.stdout)
        done = run("journal", "show", self.log, "--session", VENUE, "--from", 3, "--to", 4)
        self.assertEqual([line.split("  ")[:3] for line in done.stdout.splitlines()],
                         [[VENUE, "epoch 1", "3"], [VENUE, "epoch 1", "4"]])
        self.assertIn("A5", run("serve", self.log, "--dump-book").stdout)
        inbound, outbound, _ = self.numbers()
        self.refused("not confirmed", "journal", "set", self.log, VENUE, "--next-in", 2)
        self.refused("there is no session 'missing'", "journal", "set", self.log, "missing",
                     "--next-in", 2, "--yes")
        done = run("journal", "set", self.log, VENUE, "--next-in", inbound + 5,
                   "--next-out", outbound + 7, "--reason", "agreed by phone", "--yes")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.numbers(), (inbound + 5, outbound + 7, 1))

    def test_commands_for_a_journals_files_say_what_to_do_instead(self):
        self.end(self.venue)
        self.refused("view number_change_list", "journal", "show", self.log, "--changes")
        for word in ("verify", "repair"):
            self.refused("pg_amcheck", "journal", word, self.log)

    def test_a_log_in_use_is_not_changed_and_the_views_are_named(self):
        self.refused("session_list", "journal", "show", self.log)
        self.refused("in use by", "journal", "set", self.log, VENUE, "--next-in", 9, "--yes")
        self.end(self.venue)

    def test_a_missing_log_is_not_created(self):
        self.end(self.venue)
        nowhere = self.config_of("nowhere.cfg", "nowhere")
        for _ in range(2):
            self.refused("no such log in the database", "journal", "show", nowhere)
            self.refused("no such log in the database", "journal", "set", nowhere, VENUE,
                         "--next-in", 9, "--yes")

    def test_export_and_import_bring_every_message_to_another_database(self):
        self.end(self.venue)
        files = self.folder / "quickfix"
        other = self.config_of("other.cfg", self.schema + "_other")
        done = run("journal", "export", self.log, "--quickfix", files)
        self.assertEqual(done.returncode, 0, done.stderr)
        done = run("journal", "import", other, "--quickfix", files, "--yes")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.numbers(other), self.numbers())
        shown = [run("journal", "show", config, "--messages").stdout for config in
                 (self.log, other)]
        self.assertEqual(*shown)
        self.assertGreater(len(shown[0].splitlines()), 4)
        self.refused("connection to server", "journal", "show",
                     self.write("gone.cfg", self.log.read_text().replace(self.host, "/gone")))

    def test_a_journals_configuration_and_its_folder_are_the_same_log(self):
        self.end(self.venue)
        journal = self.folder / "files"
        config = self.write("journal.cfg", self.log.read_text().replace(
            "Store=postgresql", "").replace(f"{self.folder}/store", str(journal)))
        files = self.folder / "quickfix"
        self.assertEqual(run("journal", "export", self.log, "--quickfix", files).returncode, 0)
        self.assertEqual(run("journal", "import", config, "--quickfix", files).returncode, 0)
        self.assertEqual(run("journal", "show", config).stdout,
                         run("journal", "show", journal).stdout)
        memory = self.write("memory.cfg", self.log.read_text().replace(
            "Store=postgresql", "Store=memory"))
        self.refused("keeps nothing", "journal", "show", memory)


if __name__ == "__main__":
    SERVER = os.path.abspath(sys.argv.pop(2))
    command_test.NEXUSFIX = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)

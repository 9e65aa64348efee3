#!/usr/bin/env python3
"""The simulator's deliberate bugs in an engine that listens on TCP: `nexusfix test` finds those
that a counterparty can see, and passes the engine without a bug.

    mutants_from_outside_test.py MUTANTS_TEST NEXUSFIX
"""

import subprocess
import sys
import unittest

MUTANTS_TEST = NEXUSFIX = ""  # set by main
LIMIT_SECONDS = 300
# Each bug of mutations.json, and what finds it: a case of the suite `session`, or `soak` with a
# seed.
FOUND_BY_CASE = {
    "gap-fill-too-far": "8_resend_request_admin",
    "heartbeat-takes-no-number": "2a_msg_seq_num_correct",
    "gap-is-not-asked-for": "2b_msg_seq_num_too_high",
    "gap-fill-skips-one-more": "10_gap_fill_number_equal",
    "gap-fill-counts-one": "10_gap_fill_number_equal",
    "reset-request-ignored": "13_connection_lost",
    "garbled-takes-a-number": "2d_garbled",
}
FOUND_BY_SOAK = {
    "resend-without-poss-dup": 1,
    "gap-fill-hides-message": 1,
    "poss-dup-is-not-delivered": 1,
}


class FromOutside(unittest.TestCase):
    def play(self, bug, *arguments):
        """Plays against a new engine with this bug."""
        with subprocess.Popen([MUTANTS_TEST, "acceptor", bug], stdout=subprocess.PIPE, text=True,
                              stdin=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) as engine:
            try:
                port = engine.stdout.readline().split()[-1]
                return subprocess.run(
                    [NEXUSFIX, "test", *map(str, arguments), "--acceptor", f"127.0.0.1:{port}",
                     "--target", "ENGINE", "--timeout", "5"], capture_output=True, text=True,
                    timeout=LIMIT_SECONDS, check=False)
            finally:
                engine.kill()

    def test_the_engine_without_a_bug_passes(self):
        cases = "|".join(sorted(set(FOUND_BY_CASE.values())))
        done = self.play("none", "session", "--only", f"/({cases})$")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        done = self.play("none", "soak", "--seconds", 5)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_each_bug_is_found_by_a_case(self):
        for bug, case in FOUND_BY_CASE.items():
            with self.subTest(bug):
                done = self.play(bug, "session", "--only", f"/{case}$")
                self.assertIn("0 passed, 1 failed", done.stdout + done.stderr)
                print(f"{bug}: {done.stdout.splitlines()[2].strip()}")

    def test_each_bug_is_found_by_a_soak(self):
        for bug, seed in FOUND_BY_SOAK.items():
            with self.subTest(bug):
                done = self.play(bug, "soak", "--seconds", 60, "--seed", seed)
                self.assertIn("0 passed, 1 failed", done.stdout + done.stderr)
                print(f"{bug}: {done.stdout.split('built in')[1].splitlines()[1].strip()}")


if __name__ == "__main__":
    MUTANTS_TEST, NEXUSFIX = sys.argv[1:3]
    del sys.argv[1:3]
    unittest.main(verbosity=2)

"""The checks of fix_log.py find the faults that they are for."""

import unittest

from fix_log import Message, conduct_faults, frame_faults

ORDER = "55=AAPL|38=100"


def message(sender, number, msg_type, body="", time="20240115-10:30:00.000", extra=""):
    inner = f"35={msg_type}|34={number}|{extra}49={sender}|52={time}|56=OTHER|"
    inner += body + "|" if body else ""
    head = f"8=FIX.4.4|9={len(inner)}|{inner}".replace("|", "\x01").encode()
    return Message(head + f"10={sum(head) % 256:03}\x01".encode())


def replayed(number, msg_type, body, orig="20240115-10:30:00.000"):
    return message("US", number, msg_type, body, "20240115-10:31:00.000", f"43=Y|122={orig}|")


def gap_fill(number, new_number, flag="123=Y|"):
    return replayed(number, "4", f"{flag}36={new_number}")


SENT = [message("US", 1, "A"), message("US", 2, "D", ORDER), message("US", 3, "0")]
REQUEST = message("PEER", 1, "2", "7=1|16=0")


class ConductTest(unittest.TestCase):
    def assert_fault(self, messages, text):
        faults = conduct_faults(messages, "US")
        self.assertEqual(1, len(faults), faults)
        self.assertIn(text, faults[0])

    def test_a_complete_replay_has_no_faults(self):
        replay = [gap_fill(1, 2), replayed(2, "D", ORDER), gap_fill(3, 4)]
        self.assertEqual([], conduct_faults(SENT + [REQUEST] + replay, "US"))

    def test_a_skipped_number_is_found(self):
        self.assert_fault([SENT[0], SENT[2]], "number 2 expected")

    def test_a_number_used_twice_is_found(self):
        self.assert_fault(SENT + [message("US", 3, "0")], "number 4 expected")

    def test_numbers_start_again_after_a_reset(self):
        reset = message("US", 1, "A", "141=Y")
        self.assertEqual([], conduct_faults(SENT + [reset, message("US", 2, "0")], "US"))

    def test_an_unanswered_resend_request_is_found(self):
        self.assert_fault(SENT + [REQUEST, gap_fill(1, 2)], "2 to 3 never resent")

    def test_a_changed_body_is_found(self):
        replay = [gap_fill(1, 2), replayed(2, "D", "55=AAPL|38=101"), gap_fill(3, 4)]
        self.assert_fault(SENT + [REQUEST] + replay, "replay differs")

    def test_a_wrong_orig_sending_time_is_found(self):
        changed = replayed(2, "D", ORDER, orig="20240115-10:30:00.001")
        self.assert_fault(SENT + [REQUEST, gap_fill(1, 2), changed, gap_fill(3, 4)],
                          "OrigSendingTime")

    def test_a_replayed_heartbeat_is_found(self):
        replay = [gap_fill(1, 2), replayed(2, "D", ORDER), replayed(3, "0", "")]
        self.assert_fault(SENT + [REQUEST] + replay, "administrative message replayed")

    def test_a_gap_fill_beyond_what_was_sent_is_found(self):
        self.assert_fault(SENT + [REQUEST, gap_fill(1, 6)], "NewSeqNo beyond 4")

    def test_a_reset_instead_of_a_gap_fill_is_found(self):
        self.assert_fault(SENT + [REQUEST, gap_fill(1, 4, flag="")], "without GapFillFlag")

    def test_damaged_framing_is_found(self):
        good = message("US", 1, "A")
        self.assertEqual([], frame_faults(good))
        self.assertIn("CheckSum", frame_faults(Message(good.raw.replace(b"10:30", b"10:31")))[0])
        longer = Message(good.raw.replace(b"\x019=", b"\x019=1"))
        self.assertIn("BodyLength", frame_faults(longer)[0])


if __name__ == "__main__":
    unittest.main()

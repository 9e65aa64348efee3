"""A small acceptor with one chosen fault: what `nexusfix test` must find from outside."""

import socket
import threading
import time

# Each fault, and a case of the suite `session` that must find it.
FAULTS = {
    "wrong-checksum": "1s_logon_answered",
    "wrong-body-length": "1s_logon_answered",
    "number-repeated": "1s_logon_answered",
    "number-skipped": "2a_msg_seq_num_correct",
    "comp-ids-swapped": "1s_logon_answered",
    "test-req-id-lost": "4b_test_request_answered",
    "garbled-accepted": "2d_garbled",
    "gap-ignored": "2b_msg_seq_num_too_high",
    "too-low-accepted": "2c_msg_seq_num_too_low",
    "duplicate-answered": "2e_poss_dup_already_received",
    "gap-fill-without-poss-dup": "8_resend_request_admin",
    "logout-not-answered": "13_logout_received",
    "silent-after-logon": "1s_logon_answered",
    "answers-before-logon": "1s_first_message_not_logon",
}
# Beside them, for the suite `soak`: answer-lost and answer-repeated, of each twentieth TestRequest.
# The cases that an acceptor without a fault passes.
PASSED = sorted({*FAULTS.values()})


def check_sum(data):
    return f"{sum(data) % 256:03}".encode()


class Connection:
    """One session: its numbers begin at 1 with each Logon."""

    def __init__(self, peer, fault):
        self.peer = peer
        self.fault = fault
        self.next_out = 1
        self.next_in = 1
        self.sender, self.target = "ENGINE", "TESTER"
        self.logged_on = False
        self.test_requests = 0

    def send(self, msg_type, body="", number=None, flags=""):
        if number is None:
            number = self.next_out
            self.next_out += 1
            if self.fault == "number-repeated" and number > 1:
                number -= 1
            if self.fault == "number-skipped" and number == 2:
                number = self.next_out
                self.next_out += 1
        ids = (self.sender, self.target)
        if self.fault == "comp-ids-swapped":
            ids = ids[::-1]
        stamp = time.strftime("%Y%m%d-%H:%M:%S", time.gmtime())
        fields = (f"35={msg_type}|34={number}|{flags}49={ids[0]}|52={stamp}|56={ids[1]}|{body}"
                  ).replace("|", "\x01").encode()
        length = len(fields) + (1 if self.fault == "wrong-body-length" else 0)
        whole = f"8=FIX.4.4\x019={length}\x01".encode() + fields
        total = check_sum(whole + (b"x" if self.fault == "wrong-checksum" else b""))
        self.peer.sendall(whole + b"10=" + total + b"\x01")

    def serve(self):
        data = b""
        while True:
            more = self.peer.recv(65536)
            if not more:
                return
            data += more
            while (end := data.find(b"\x0110=")) >= 0 and len(data) >= end + 8:
                message, data = data[:end + 8], data[end + 8:]
                if not self.on_message(message, end + 1):
                    return

    def on_message(self, message, begin_of_sum):
        """False: the connection ends."""
        is_right = message[begin_of_sum + 3:-1] == check_sum(message[:begin_of_sum])
        if not is_right and self.fault != "garbled-accepted":
            return True
        fields = dict(field.split("=", 1) for field in message.decode().split("\x01")[:-1])
        msg_type = fields["35"]
        if msg_type == "A":
            self.logged_on = True
            self.next_out = 1
            self.next_in = 2
            self.send("A", "98=0|108=30|141=Y|")
            return True
        if not self.logged_on and self.fault != "answers-before-logon":
            return False
        if self.fault == "silent-after-logon":
            return True
        return self.on_session_message(msg_type, fields)

    def on_session_message(self, msg_type, fields):
        number = int(fields["34"])
        is_duplicate = fields.get("43") == "Y"
        if msg_type == "4" and "36" in fields and number <= self.next_in:
            self.next_in = int(fields["36"])
            return True
        if number > self.next_in and self.fault != "gap-ignored":
            self.send("2", f"7={self.next_in}|16=0|")
            return True
        if number < self.next_in and is_duplicate and self.fault != "duplicate-answered":
            return True
        if number < self.next_in and not is_duplicate and self.fault != "too-low-accepted":
            self.send("5", "58=MsgSeqNum too low|")
            return False
        self.next_in = max(self.next_in, number + 1)
        if fields.get("112") == "DATA":  # a CheckSum within EncodedText
            self.send("B", "148=x|354=10|355=a|10=123|b|")
        elif msg_type == "1":
            self.test_requests += 1
            is_twentieth = self.test_requests % 20 == 0
            if is_twentieth and self.fault == "answer-lost":
                return True
            if is_twentieth and self.fault == "answer-repeated":
                self.send("0", f"112={fields['112']}|")
            lost = self.fault == "test-req-id-lost"
            self.send("0", "" if lost else f"112={fields['112']}|")
        elif msg_type == "2":
            flags = "" if self.fault == "gap-fill-without-poss-dup" else "43=Y|"
            self.send("4", f"123=Y|36={self.next_out}|", int(fields["7"]), flags)
        elif msg_type == "5":
            if self.fault != "logout-not-answered":
                self.send("5")
            return False
        return True


class BrokenAcceptor:
    """Listens on a free port of the loopback address."""

    def __init__(self, test, fault=None):
        self.fault = fault
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        test.addCleanup(self.listener.close)
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                peer = self.listener.accept()[0]
            except OSError:
                return  # closed
            threading.Thread(target=self.serve, args=(peer,), daemon=True).start()

    def serve(self, peer):
        with peer:
            try:
                Connection(peer, self.fault).serve()
            except OSError:
                return  # the tester is gone

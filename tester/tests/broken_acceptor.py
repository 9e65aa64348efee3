"""A small acceptor with one chosen fault: what `nexusfix test` must find from outside."""

import calendar
import contextlib
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
    "unknown-encryption-accepted": "17b_encrypt_method",
    "late-logon-accepted": "1s_sending_time_wrong",
    "unsupported-called-invalid": "2r_msg_type_not_supported",
    "short-check-sum-accepted": "3e_check_sum_length",
    "enumeration-ignored": "14e_value_not_in_enumeration",
    "header-after-body-accepted": "14g_header_after_body",
    "group-count-ignored": "14i_group_count_wrong",
    "group-order-ignored": "14j_group_first_field",
    "field-without-tag-ends-session": "14k_soh_in_value",
    "poss-resend-executed-again": "19a_poss_resend_already_received",
    "poss-resend-ignored": "19b_poss_resend_not_received",
    "report-resent-without-poss-dup": "8_resend_request_application",
}
# Faults in FIXT 1.1 with FIX 5.0 SP2.
FIXT_FAULTS = {
    "own-msg-type-called-invalid": "fixt_msg_type_of_version",
    "logon-without-default-version": "fixt_default_appl_ver_id_sent",
}
# The faults that need --logout.
LOGOUT_FAULTS = {
    "logout-not-sent": "12_logout_sent",
    "logout-without-waiting": "12_logout_not_answered",
    "resend-request-ignored-after-logout": "12_resend_request_before_answer",
}
# Beside them, for the suite `soak`: answer-lost and answer-repeated, of each twentieth TestRequest.
# The cases that an acceptor without a fault passes.
PASSED = sorted({*FAULTS.values()})


def check_sum(data):
    return f"{sum(data) % 256:03}".encode()


def order_reject(fields, order):
    """The SessionRejectReason and RefTagID of an order with an invalid field, or None."""
    tags = [tag for tag, _ in order]
    if fields.get("59", "0") not in "0123456":
        return 5, 59, "enumeration-ignored"
    if "78" in fields and int(fields["78"]) != tags.count("79"):
        return 16, 78, "group-count-ignored"
    if "453" in fields and tags[tags.index("453") + 1] != "448":
        return 15, tags[tags.index("453") + 1], "group-order-ignored"
    return None


class Connection:
    """One session: its numbers begin at 1 with each Logon."""

    def __init__(self, peer, fault, answers_orders, stream_reject=""):
        self.peer = peer
        self.fault = fault
        self.begin_string = "FIX.4.4"  # then that of the counterparty
        self.stream_reject = stream_reject  # of a StreamAssignmentRequest (CC)
        self.answers_orders = answers_orders
        self.next_out = 1
        self.next_in = 1
        self.sender, self.target = "ENGINE", "TESTER"
        self.logged_on = self.logs_out = False
        self.test_requests = 0
        self.order_ids = {}  # by ClOrdID
        self.reports = {}  # bodies by MsgSeqNum

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
        whole = f"8={self.begin_string}\x019={length}\x01".encode() + fields
        total = check_sum(whole + (b"x" if self.fault == "wrong-checksum" else b""))
        self.peer.sendall(whole + b"10=" + total + b"\x01")

    def serve(self):
        data = b""
        while True:
            more = self.peer.recv(65536)
            if not more:
                return
            data += more
            while (end := data.find(b"\x0110=")) >= 0:
                stop = data.find(b"\x01", end + 4)
                if stop < 0:
                    break
                message, data = data[:stop + 1], data[stop + 1:]
                if not self.on_message(message, end + 1):
                    return

    def on_message(self, message, begin_of_sum):
        """False: the connection ends."""
        total, right = message[begin_of_sum + 3:-1], check_sum(message[:begin_of_sum])
        if self.fault == "short-check-sum-accepted" and len(total) < 3:
            total = right
        if total != right and self.fault != "garbled-accepted":
            return True
        parts = message.decode().split("\x01")[:-1]
        if not all("=" in part for part in parts):
            return self.fault != "field-without-tag-ends-session"  # garbled
        order = [part.split("=", 1) for part in parts]
        fields = dict(order)
        msg_type = fields["35"]
        if msg_type == "A":
            return self.on_logon(fields)
        if not self.logged_on and self.fault != "answers-before-logon":
            return False
        if self.fault == "silent-after-logon":
            return True
        return self.on_session_message(msg_type, fields, order)

    def on_logon(self, fields):
        """False: it is refused."""
        age = time.time() - calendar.timegm(time.strptime(fields["52"][:17], "%Y%m%d-%H:%M:%S"))
        is_late = age > 300 and self.fault != "late-logon-accepted"
        is_encrypted = fields["98"] != "0" and self.fault != "unknown-encryption-accepted"
        if is_late or is_encrypted:
            self.send("5", "58=invalid Logon|")
            return False
        self.logged_on = True
        self.next_out = 1
        self.next_in = 2
        self.begin_string = fields["8"]
        self.send("A", "98=0|108=30|141=Y|" + self.default_version())
        return True

    def default_version(self):
        """The field of the Logon that FIXT 1.1 requires."""
        is_absent = self.begin_string != "FIXT.1.1" or self.fault == "logon-without-default-version"
        return "" if is_absent else "1137=9|"

    def on_session_message(self, msg_type, fields, order):
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
        tags = [tag for tag, _ in order]
        is_last = tags.index("52") == len(tags) - 2
        if is_last and self.fault != "header-after-body-accepted":
            self.send("3", f"45={number}|371=52|372={msg_type}|373=14|")
        elif fields.get("112") == "DATA":  # a CheckSum within EncodedText
            self.send("B", "148=x|354=10|355=a|10=123|b|")
        elif msg_type == "1":
            self.on_test_request(fields)
        elif msg_type == "2":
            self.on_resend_request(fields)
        elif msg_type == "5":
            if self.fault != "logout-not-answered" and not self.logs_out:
                self.send("5")
            return False
        elif msg_type == "D" and self.answers_orders:
            self.on_order(fields, order)
        elif msg_type == "CC":
            is_broken = self.fault == "own-msg-type-called-invalid"
            reject = "373=11|" if is_broken else self.stream_reject
            self.send(*(("3", f"45={number}|372=CC|{reject}") if reject else
                        ("j", f"45={number}|372=CC|380=3|")))
        elif msg_type == "7":
            is_broken = self.fault == "unsupported-called-invalid"
            self.send(*(("3", f"45={number}|372=7|373=11|") if is_broken else
                        ("j", f"45={number}|372=7|380=3|")))
        return True

    def on_test_request(self, fields):
        self.test_requests += 1
        is_twentieth = self.test_requests % 20 == 0
        if is_twentieth and self.fault == "answer-lost":
            return
        if is_twentieth and self.fault == "answer-repeated":
            self.send("0", f"112={fields['112']}|")
        lost = self.fault == "test-req-id-lost"
        self.send("0", "" if lost else f"112={fields['112']}|")

    def on_resend_request(self, fields):
        if self.logs_out and self.fault == "resend-request-ignored-after-logout":
            return
        first = int(fields["7"])
        poss_dup = "" if self.fault == "gap-fill-without-poss-dup" else "43=Y|"
        if body := self.reports.get(first):
            lost = self.fault == "report-resent-without-poss-dup"
            self.send("8", body, first, "" if lost else "43=Y|122=20240115-10:30:00|")
        else:
            self.send("4", f"123=Y|36={self.next_out}|", first, poss_dup)

    def on_order(self, fields, order):
        reject = order_reject(fields, order)
        if reject and self.fault != reject[2]:
            self.send("3", f"45={fields['34']}|371={reject[1]}|372=D|373={reject[0]}|")
            return
        is_again = fields.get("97") == "Y"
        known = fields["11"] in self.order_ids
        if is_again and (self.fault == "poss-resend-ignored" or
                         (known and self.fault != "poss-resend-executed-again")):
            return
        order_id = self.order_ids[fields["11"]] = f"O{self.next_out}"
        body = (f"37={order_id}|11={fields['11']}|17=1|150=0|39=0|55=AAPL|54=1|151=100|14=0|6=0|")
        self.reports[self.next_out] = body
        self.send("8", body)

    def log_out(self):
        """What an operator's command does."""
        self.logs_out = True
        if self.fault != "logout-not-sent":
            self.send("5")
        time.sleep(0 if self.fault == "logout-without-waiting" else 2)
        with contextlib.suppress(OSError):  # it is closed
            self.peer.shutdown(socket.SHUT_RDWR)


class BrokenAcceptor:
    """Listens on a free port of the loopback address."""

    def __init__(self, test, fault=None, answers_orders=False, stream_reject=""):
        self.fault = fault
        self.stream_reject = stream_reject
        self.answers_orders = answers_orders
        self.connections = []
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
            connection = Connection(peer, self.fault, self.answers_orders, self.stream_reject)
            self.connections.append(connection)
            try:
                connection.serve()
            except OSError:
                return  # the tester is gone

    def log_on_at(self, port):
        """An initiator: connects until the tester listens, and sends its Logon."""
        while True:
            try:
                peer = socket.create_connection(("127.0.0.1", port))
                break
            except ConnectionRefusedError:
                time.sleep(0.02)
        with peer:
            connection = Connection(peer, self.fault, self.answers_orders)
            connection.begin_string = "FIXT.1.1"
            connection.send("A", "98=0|108=30|141=Y|" + connection.default_version())
            while peer.recv(65536):
                pass

    def command_port(self, test):
        """A port: each connection to it is the operator's command to log out."""
        listener = socket.create_server(("127.0.0.1", 0))
        test.addCleanup(listener.close)

        def accept():
            while True:
                try:
                    listener.accept()[0].close()
                except OSError:
                    return  # closed
                threading.Thread(target=self.connections[-1].log_out, daemon=True).start()
        threading.Thread(target=accept, daemon=True).start()
        return listener.getsockname()[1]

"""The fixtures of nexusfix.pytest_plugin, by a pytest within pytest, and their faults."""

import threading
import time

import nexusfix
import pytest
from nexusfix import fix44
from nexusfix.testing import Client, Venue

pytest_plugins = ["pytester"]
HEAD = """
import nexusfix, pytest, time
from nexusfix import fix44

def order(number=1):
    return fix44.NewOrderSingle(
        ClOrdID=f"A{number}", Symbol="AAPL", Side=fix44.Side.BUY, OrderQty=100,
        OrdType=fix44.OrdType.MARKET, TransactTime="20260115-10:30:00.000")

def acknowledge(venue):
    return venue.on("NewOrderSingle").reply(
        "ExecutionReport", OrderID="1", ExecID=lambda m: m["ClOrdID"], ExecType="0", OrdStatus="0",
        ClOrdID=lambda m: m["ClOrdID"], Symbol="AAPL", Side=lambda m: m["Side"], LeavesQty=100,
        CumQty=0, AvgPx=0)
"""


def run(pytester, code, *options):
    pytester.makepyfile(HEAD + code)
    return pytester.runpytest("-p", "nexusfix.pytest_plugin", "-p", "no:cacheprovider", *options)


def news(text):
    return fix44.News(Headline=text, LinesOfText=[{"Text": text}])


@pytest.fixture
def pair():
    with Venue() as venue, Client(venue.port) as client:
        yield venue, client


def test_a_scripted_answer_reaches_the_client(pytester):
    result = run(pytester, """
def test_it(fix_venue, fix_client):
    acknowledge(fix_venue)
    client = fix_client(fix_venue.port, sender="DESK")
    assert client.send(order()).is_transmitted
    assert fix_venue.expect("D", ClOrdID="A1")["SenderCompID"] == "DESK"
    assert client.expect("ExecutionReport")["OrdStatus"] == fix44.OrdStatus.NEW
""")
    result.assert_outcomes(passed=1)


@pytest.mark.parametrize("version", ["FIX.4.2", "FIX.4.4", "FIXT.1.1"])
def test_the_venue_has_every_version(version):
    with Venue() as venue, Client(venue.port, version=version, sender="X", target="Y") as client:
        dictionary = nexusfix.Dictionary.builtin("FIX.5.0SP2" if version == "FIXT.1.1" else version)
        lines = "NoLinesOfText" if version == "FIXT.1.1" else "LinesOfText"
        client.send(dictionary.News(Headline="open", **{lines: [{"Text": "a"}]}))
        assert venue.expect("B")["TargetCompID"] == "Y"


def test_rules_apply_in_their_order_and_as_often_as_they_say(pair):
    venue, client = pair
    venue.on("B").times(1).reply(lambda message: news("first"))
    venue.on("B").where(lambda message: message["Headline"] == "b").reply(
        lambda message: [news("x"), news("y")])
    venue.on("B").reply("News", Headline="last", LinesOfText=[{"Text": "z"}])
    for text in "bab":
        client.send(news(text))
    assert [client.expect("B")["Headline"] for _ in range(4)] == ["first", "last", "x", "y"]


def test_a_message_that_does_not_come_fails_the_test_with_what_came(pair):
    venue, client = pair
    client.send(news("a"))
    with pytest.raises(AssertionError, match="NewOrderSingle was expected.*came: News 2"):
        venue.expect("NewOrderSingle", timeout=0.3)
    client.send(news("b"))
    with pytest.raises(AssertionError, match="no News was expected"):
        venue.expect_none("News", within=2)
    venue.expect_none("News")


def test_an_exception_of_a_rule_fails_the_test(pytester):
    result = run(pytester, """
def test_it(fix_venue, fix_client):
    fix_venue.on("D").reply("ExecutionReport", OrderId="1")
    fix_client(fix_venue.port).send(order())
    time.sleep(0.2)
""")
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["*FieldNameError*OrderId*nearest*OrderID*"])


def test_a_failing_test_prints_the_conversation_as_two_columns(pytester):
    result = run(pytester, """
def test_it(fix_venue, fix_client):
    acknowledge(fix_venue)
    client = fix_client(fix_venue.port, Username="me", Password="sword" + "fish")
    client.send(order())
    client.expect("8")
    assert False
""")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([
        "*FIX conversation of venue*", "client *venue", "Logon 1 *->", "* <- Logon 1 *",
        "NewOrderSingle 2 ClOrdID=A1 *->*", "* <- ExecutionReport 2 *"])
    result.stdout.no_fnmatch_line("*swordfish*")


def test_a_lost_message_is_recovered(pair):
    venue, client = pair
    venue.faults.gap()
    for text in ("a", "b"):
        venue.send(news(text))
    first, second = client.expect("B"), client.expect("B")
    assert (first["Headline"], first["PossDupFlag"], second["Headline"]) == ("a", True, "b")
    assert "[lost] News 2" in venue.conversation.columns()


def test_a_duplicate_ends_the_session(pair):
    venue, client = pair
    venue.faults.duplicate("News")
    venue.send(news("a"))
    assert client.expect("B")["Headline"] == "a"
    client.expect_none("B")
    assert any("too low" in one.message.get("Text", "") for one in client.conversation)


def test_a_garbled_message_is_ignored_and_recovered(pair):
    venue, client = pair
    venue.faults.garble()
    for text in ("a", "b"):
        venue.send(news(text))
    first, second = client.expect("B"), client.expect("B")
    assert (first["Headline"], first["PossDupFlag"], second["Headline"]) == ("a", True, "b")


def test_a_delay_holds_the_message_and_those_after_it(pair):
    venue, client = pair
    venue.faults.delay(0.3)
    began = time.monotonic()
    for text in ("a", "b"):
        venue.send(news(text))
    assert [client.expect("B")["Headline"] for _ in range(2)] == ["a", "b"]
    assert time.monotonic() - began >= 0.3


def test_a_broken_connection_is_recovered_by_the_next_logon(pair):
    venue, client = pair
    client.faults.drop()
    client.send(news("a"))
    assert venue.expect("B")["Headline"] == "a"
    logons = [one for one in venue.conversation if one.message.msg_type == "A"]
    assert len(logons) == 4


def test_a_wrong_comp_id_is_rejected(pair):
    venue, client = pair
    venue.faults.wrong_comp_id("EVIL")
    venue.send(news("a"))
    reject = venue.expect("Reject")
    assert reject["SessionRejectReason"] == fix44.SessionRejectReason.COMPID_PROBLEM
    sent = next(one for one in client.conversation if one.message.msg_type == "B")
    assert sent.message["SenderCompID"] == "EVIL"


def test_faults_of_the_program_are_made_by_the_venue(pair):
    venue, client = pair
    venue.faults_of_program.gap("B", count=2)
    for text in ("a", "b", "c"):
        client.send(news(text))
    received = [venue.expect("B") for _ in range(3)]
    assert [one["Headline"] for one in received] == ["a", "b", "c"]
    assert [one.get("PossDupFlag") for one in received[:2]] == [True, True]


SNAPSHOT = """
def test_it(fix_venue, fix_client, fix_snapshot):
    acknowledge(fix_venue)
    client = fix_client(fix_venue.port)
    client.send(order(NUMBER))
    client.expect("8")
    fix_snapshot(fix_venue.conversation)
"""


def test_a_snapshot_is_written_compared_and_written_again(pytester):
    code = SNAPSHOT.replace("NUMBER", "1")
    result = run(pytester, code)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*--fix-snapshot-update writes it*"])
    run(pytester, code, "--fix-snapshot-update").assert_outcomes(passed=1)
    [file] = (pytester.path / "fix_snapshots").rglob("*.fix")
    lines = file.read_text().splitlines()
    assert [line.split(" ")[:2] for line in lines] == [
        [">", "Logon"], ["<", "Logon"], [">", "NewOrderSingle"], ["<", "ExecutionReport"]]
    assert "SendingTime=*" in lines[2] and "ClOrdID=A1" in lines[2]
    run(pytester, code).assert_outcomes(passed=1)
    other = SNAPSHOT.replace("NUMBER", "2")
    result = run(pytester, other)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*the conversation differs from*"])
    run(pytester, other, "--fix-snapshot-update").assert_outcomes(passed=1)


def test_no_thread_and_no_engine_is_left(pair):
    venue, client = pair
    client.close()
    venue.close()
    venue.close()
    assert threading.active_count() == 1 or all(
        thread.name not in ("venue", "client") for thread in threading.enumerate())
    with pytest.raises(RuntimeError, match="not open"):
        client.send(news("a"))


def test_a_client_without_a_venue_says_why():
    with pytest.raises(nexusfix.LogonTimeoutError):
        Client(1).open()

"""The server for assistants, asked by the client of the SDK: its answers, and what it refuses."""

import asyncio
import json
import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from messages_test import message
from program import find_command
from sources_test import free_port

pytest.importorskip("mcp")
import nexusfix.mcp as door  # noqa: E402
from mcp import Client, StdioServerParameters  # noqa: E402

LOGON = message("35=A|34=1|49=T|52=20260115-10:29:59|56=V|98=0|108=30|553=me|554=hunter2|")
ORDER = message("35=D|34=2|49=T|52=20260115-10:30:00|56=V|11=A1|55=SAP|54=1|60=20260115-10:30:00|"
                "38=100|40=2|44=150.25|")
REPORT = message("35=8|34=2|49=V|52=20260115-10:30:01|56=T|37=X1|11=A1|17=E1|150=F|39=2|55=SAP|"
                 "54=1|38=100|32=100|31=150.25|151=0|14=100|6=150.25|")
REJECT = message("35=3|34=3|49=V|52=20260115-10:30:02|56=T|45=2|371=44|372=D|373=5|58=no such|")
LOG = b"".join(b"20260115-10:30:00 OUT : %s\n" % one for one in (LOGON, ORDER, REPORT, REJECT))
SECRET = "hunter2"


@pytest.fixture
def folder(tmp_path):
    logs = tmp_path / "logs"
    logs.mkdir()
    (logs / "day.log").write_bytes(LOG)
    (tmp_path / "outside.log").write_bytes(LOG)
    return logs


def ask(access, *calls):
    """The results of calls of tools: (name, arguments)."""
    async def run():
        async with Client(door.make_server(access)) as client:
            return [await client.call_tool(name, arguments) for name, arguments in calls]
    return asyncio.run(run())


def text_of(result):
    return "".join(part.text for part in result.content)


def answer(folder, name, **arguments):
    """What a tool returns. The SDK puts that which is no object under the name `result`."""
    [result] = ask(door.Access.of([folder], command=find_command()), (name, arguments))
    assert not result.is_error, text_of(result)
    assert SECRET not in text_of(result)
    content = result.structured_content
    return content["result"] if set(content) == {"result"} else content


def refusal(folder, name, **arguments):
    [result] = ask(door.Access.of([folder], command=find_command()), (name, arguments))
    assert result.is_error
    return text_of(result)


def test_all_tools_only_read(folder):
    async def listed():
        access = door.Access.of([folder], ["venue.cfg"], find_command())
        async with Client(door.make_server(access)) as client:
            return (await client.list_tools()).tools
    tools = asyncio.run(listed())
    assert {tool.name for tool in tools} == {
        "decode", "validate", "explain_event", "explain_reject", "list_logs", "search_logs",
        "order_life", "log_statistics", "engine_status"}
    assert all(tool.annotations.read_only_hint and tool.description for tool in tools)


def test_messages_are_decoded_and_validated(folder):
    text = ORDER.decode().replace("\x01", "|")
    shown = answer(folder, "decode", message=f"they sent {text} at ten")
    assert "NewOrderSingle" in shown and "BUY" in shown
    broken = message("35=D|34=2|49=T|52=20260115-10:30:00|56=V|11=A1|55=SAP|54=Q|38=1|40=1|"
                     "60=20260115-10:30:00|").decode()
    assert "54" in answer(folder, "validate", message=broken)
    assert "1 invalid" in answer(folder, "validate", message=text, fix_version="FIX.4.0")


def test_passwords_are_masked(folder):
    path = str(folder / "day.log")
    assert "***" in answer(folder, "decode", message=LOGON.decode())
    [found] = answer(folder, "search_logs", where="Password", paths=[path])
    assert found["fields"]["Password"] == "***"
    odd = message(f"35=D|34=2|49=T|56=V|52=20260115-10:30:00|11=A1|55=SAP|554={SECRET}|")
    (folder / "odd.log").write_bytes(odd)
    answer(folder, "order_life", order="A1", paths=["odd.log"])
    answer(folder, "validate", message=odd.decode())


def test_logs_are_listed_searched_and_counted(folder):
    path = str(folder / "day.log")
    (folder / ".hidden").write_bytes(LOG)
    [log] = answer(folder, "list_logs")
    assert (log["path"], log["bytes"], log["kind"]) == (path, len(LOG), "file")
    [found] = answer(folder, "search_logs", where="Symbol=SAP and Price>150", paths=["day.log"])
    assert found["fields"]["ClOrdID"] == "A1" and found["offset"] == LOG.index(ORDER)
    assert len(answer(folder, "search_logs", where="MsgType", paths=[path], limit=2)) == 2
    assert answer(folder, "search_logs", where="Symbol=BMW", paths=[path]) == []
    life = answer(folder, "order_life", order="X1", paths=[path])
    assert life["orders"][0]["state"]["ord_status_name"] == "FILLED"
    assert life["orders"][0]["events"][0]["file"] == path
    counted = answer(folder, "log_statistics", paths=[path])
    assert counted["messages"] == 4 and counted["orders"]["fills"] == 1


def test_events_and_rejects_are_explained(folder):
    event = answer(folder, "explain_event", event="NXF-1042")
    assert event["name"] == "RejectReceived" and event["action"]
    told = answer(folder, "explain_reject", reject=REJECT.decode(), paths=["day.log"])
    assert told["fields"]["RefTagID"] == "44" and "VALUE" in told["readable"].upper()
    assert [one["fields"]["ClOrdID"] for one in told["rejected"]] == ["A1"]


def test_a_wrong_question_is_answered_with_what_is_wrong(folder):
    assert "Symbol" in refusal(folder, "search_logs", where="Symbl=SAP", paths=["day.log"])
    assert "limit" in refusal(folder, "search_logs", where="Symbol", paths=["day.log"], limit=0)
    assert "NXF-9" in refusal(folder, "explain_event", event="NXF-99999")
    assert "no such" not in refusal(folder, "explain_reject", reject="hello")
    assert "bytes at most" in refusal(folder, "decode", message="x" * (1 << 21))
    assert "list_logs" in refusal(folder, "search_logs", where="Symbol", paths=[])
    assert "A9" in refusal(folder, "order_life", order="A9", paths=["day.log"])


@pytest.mark.parametrize("words", ["--show-passwords", "-h", "--help", "--dict=/etc/passwd"])
def test_no_text_is_an_option_of_the_command(folder, words):
    for name, arguments in (("search_logs", {"where": words, "paths": ["day.log"]}),
                            ("order_life", {"order": words, "paths": ["day.log"]}),
                            ("explain_event", {"event": words})):
        said = refusal(folder, name, **arguments)
        assert "Usage" not in said and SECRET not in said and "root:" not in said


def outside_paths(folder):
    """What leads out of the folder, or is no log."""
    (folder / "link.log").symlink_to(folder.parent / "outside.log")
    (folder / "up").symlink_to(folder.parent)
    (folder / "environ").symlink_to("/proc/self/environ")
    (folder / "root").symlink_to("/")
    os.mkfifo(folder / "pipe")
    return ["/etc/passwd", "../outside.log", f"{folder}/../outside.log", "link.log",
            "up/outside.log", "environ", "/proc/self/environ", "/proc/self/fd/0", "/dev/stdin",
            "root/etc/passwd", "-", "", ".", "pipe", "day.log\0", str(folder), "absent.log",
            "--show-passwords"]


def test_no_path_leads_out_of_the_folders(folder):
    for path in outside_paths(folder):
        said = refusal(folder, "search_logs", where="MsgType", paths=[path])
        assert "no log in the folders" in said, path
    [log] = answer(folder, "list_logs")
    assert log["path"] == str(folder / "day.log")


def test_a_file_that_is_exchanged_after_the_check_is_still_the_one_that_was_checked(folder):
    access = door.Access.of([folder], command=find_command())
    with access.opened(["day.log"]) as (paths, _):
        (folder / "day.log").unlink()
        (folder / "day.log").symlink_to("/etc/passwd")
        with open(paths[0], "rb") as file:
            assert file.read() == LOG


def test_a_journal_whose_files_lead_elsewhere_is_refused(folder):
    journal = folder / "store"
    journal.mkdir()
    (journal / "1.journal").symlink_to("/etc/passwd")
    assert "no log" in refusal(folder, "search_logs", where="MsgType", paths=["store"])


@pytest.mark.parametrize("path", ["/", "/proc", "/proc/self", "/sys", "/dev", "/absent"])
def test_no_system_folder_is_a_folder_of_logs(path):
    with pytest.raises(ValueError, match="no folder"):
        door.Access.of([path], command="nexusfix")


def test_the_state_of_an_engine_that_the_user_names(folder, tmp_path):
    config = tmp_path / "venue.cfg"
    config.write_text(
        f"[DEFAULT]\nConnectionType=acceptor\nSocketAcceptPort={free_port()}\n"
        f"FileStorePath={tmp_path}/store\n"
        "NonStopSession=Y\nSocketAcceptHost=127.0.0.1\n[SESSION]\nBeginString=FIX.4.4\n"
        "SenderCompID=V\nTargetCompID=T\n")
    with subprocess.Popen([find_command(), "serve", config], cwd=tmp_path, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL) as venue:
        try:
            venue.stdout.readline()
            access = door.Access.of([folder], [str(config)], find_command())
            status, other = ask(access, ("engine_status", {}), ("engine_status", {"engine": "x"}))
        finally:
            venue.terminate()
    assert not status.is_error, text_of(status)
    assert [one["session"] for one in status.structured_content["sessions"]] == ["FIX.4.4:V->T"]
    assert other.is_error and "venue.cfg" in text_of(other)


def search_by(folder, *server):
    """What the server answers that this program is, by the SDK's client."""
    command = find_command()

    async def run():
        environment = {**os.environ, "PATH": os.path.dirname(command) + ":" + os.environ["PATH"]}
        started = StdioServerParameters(command=str(server[0]),
                                        args=[*server[1:], "--logs", str(folder)], env=environment)
        async with Client(started) as client:
            return await client.call_tool("search_logs", {"where": "MsgType=D",
                                                          "paths": ["day.log"]})
    return asyncio.run(run())


def test_it_serves_on_standard_input_and_output(folder):
    result = search_by(folder, sys.executable, "-B", "-m", "nexusfix.mcp")
    assert not result.is_error, text_of(result)
    assert json.loads(text_of(result))["fields"]["ClOrdID"] == "A1"


def test_the_command_of_the_wheel_serves(folder):
    command = Path(sysconfig.get_path("scripts")) / "nexusfix"
    if not command.exists():
        pytest.skip("the package was built without the command: tools/wheels.py --own")
    result = search_by(folder, command, "mcp")
    assert not result.is_error, text_of(result)
    assert json.loads(text_of(result))["fields"]["ClOrdID"] == "A1"
    done = subprocess.run([command, "mcp", "--help"], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "--logs FOLDER" in done.stdout, done.stderr


def test_wrong_arguments_end_it_with_one_line(folder):
    done = subprocess.run([sys.executable, "-m", "nexusfix.mcp", "--logs", "/absent"],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "no folder: /absent" in done.stderr
    assert "Traceback" not in done.stderr

#!/usr/bin/env python3
"""Plays the suites session and robustness of `nexusfix test`, in the versions of FIX of peers.py,
against each engine there, and writes the table case x engine as docs/reference/conformance.md:
`make contestants`.

    contestants.py --nexusfix PATH --quickfix PATH --quickfixj FOLDER [--only ENGINE,...]
                   [--profiles FIX.5.0SP2,...]
"""

import argparse
import datetime
import json
import re
import subprocess
import sys
import textwrap
from pathlib import Path

from peers import ENGINE, ENGINES, PROFILES, ROOT, TESTER, Missing

sys.path.insert(0, str(ROOT / "tests/support"))
from tcp_ports import free_port  # noqa: E402  pylint: disable=wrong-import-position

SUITES = ("session", "robustness")
ROLES = ("acceptor", "initiator")
NOTES = Path(__file__).resolve().parent / "notes.txt"
# A message without what differs from run to run: "35=1 ...".
MESSAGE = re.compile(r"8=FIX\S*?\|(35=\w+)\S*")
CASE = re.compile(r"^(\w+/\w+): (passed|FAILED|skipped|not run)")
VERDICTS = {"passed": "pass", "FAILED": "**fail**", "skipped": "skip", "not run": "–"}


def read_notes():
    """Lines "engine case text"; a case "*" is about the engine."""
    notes = {}
    for line in NOTES.read_text(encoding="utf-8").replace("\n  ", " ").splitlines():
        if line and not line.startswith("#"):
            engine, case, text = line.split(" ", 2)
            notes[engine, case] = text
    return notes


def read_results(output):
    """The verdict, remarks and failure of each case, by its name."""
    results, case = {}, None
    for line in output.splitlines():
        if match := CASE.match(line):
            case = {"verdict": VERDICTS[match[2]], "remarks": [], "failure": ""}
            results[match[1]] = case
            lines = 0
        elif case and line.startswith("  remark: "):
            case["remarks"].append(line.removeprefix("  remark: "))
        elif case and case["verdict"] == VERDICTS["FAILED"] and line.startswith("  "):
            lines += 1
            if lines <= 2:  # the statement, and what came
                case["failure"] += ("; " if case["failure"] else "") + line.strip()
    return results


def play(nexusfix, engine, role, profile):
    """Plays a profile's cases against one engine that is started for it."""
    port = free_port()
    report = f"{profile.name}-{role}"
    command = [nexusfix, "test", *profile.cases, "--target", ENGINE, "--sender", TESTER,
               "--begin-string", profile.version, "--timeout", "5", "--html",
               engine.folder / f"{report}.html"]
    left_out = [profile.left_out, engine.initiator_except if role == "initiator" else ""]
    if any(left_out):
        command += ["--except", "|".join(filter(None, left_out))]
    if role == "acceptor":
        with engine.start(role, port, profile) as process:
            done = subprocess.run([*command, "--acceptor", f"127.0.0.1:{port}"], text=True,
                                  capture_output=True, check=False)
            process.kill()
    else:
        with subprocess.Popen([*command, "--initiator", f"127.0.0.1:{port}"], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as tester:
            with engine.start(role, port, profile) as process:
                output, errors = tester.communicate()
                process.kill()
            done = subprocess.CompletedProcess(command, tester.returncode, output, errors)
    (engine.folder / f"{report}.txt").write_text(done.stdout + done.stderr, encoding="utf-8")
    if not (results := read_results(done.stdout)):
        raise Missing((done.stderr or done.stdout or "no output").strip().splitlines()[-1])
    print(f"{engine.key}, {profile.name}, {role}: {done.stdout.splitlines()[-1]}", flush=True)
    return results


def cell(result):
    """The verdict, with a star for remarks; nothing: not played."""
    if not result or result["verdict"] == VERDICTS["not run"]:
        return ""
    return result["verdict"] + (" *" if result["remarks"] else "")


def table(played):
    """Markdown: a row for each case, a column for each engine, as acceptor and as initiator."""
    keys = list(played)
    cases = sorted({case for roles in played.values() for results in roles.values()
                    for case in results},
                   key=lambda case: (SUITES.index(case.split("/", maxsplit=1)[0]), case))
    lines = ["| case | " + " | ".join(keys) + " |", "|---|" + "---|" * len(keys)]
    for case in cases:
        cells = []
        for key in keys:
            acceptor, initiator = (cell(played[key].get(role, {}).get(case)) for role in ROLES)
            is_equal = acceptor.split(" ")[0] == initiator.split(" ")[0]
            cells.append(acceptor or "–" if is_equal or not initiator
                         else f"{acceptor or '–'}; initiator {initiator}")
        lines.append(f"| `{case.split('/')[1]}` | " + " | ".join(cells) + " |")
    for role in ROLES:
        counts = []
        for key in keys:
            verdicts = [one["verdict"] for one in played[key].get(role, {}).values()]
            run = sum(one not in (VERDICTS["not run"], VERDICTS["skipped"]) for one in verdicts)
            counts.append(f"{verdicts.count(VERDICTS['passed'])} of {run}")
        lines.append(f"| **passed as {role}** | " + " | ".join(counts) + " |")
    return lines


def what_came(result):
    """What came instead, without the fields that differ from run to run."""
    came = MESSAGE.sub(r"\1", result["failure"].split("; ", 1)[-1])
    return came.replace("|", "\\|").replace("<", "\\<")[:160]


def differences(played, names, notes):
    """Each failed case with what came on each side, and the note on it."""
    lines = []
    for key, roles in played.items():
        failed = {}  # what came, by case and role
        for role in ROLES:
            for case, result in roles.get(role, {}).items():
                if result["verdict"] == VERDICTS["FAILED"]:
                    failed.setdefault(case, {})[role] = what_came(result)
        if not failed:
            continue
        lines += ["", f"### {names[key]}", ""]
        if (key, "*") in notes:
            lines += [notes[key, "*"], ""]
        lines += ["| case | side | what came, and what it means |", "|---|---|---|"]
        for case, came in sorted(failed.items()):
            name = case.split("/")[1]
            note = notes.get((key, name)) or notes.get(("all", name)) or ""
            texts = list(dict.fromkeys(came.values()))
            text = "; as initiator: ".join(texts)
            text += ". " if note else ""
            lines.append(f"| `{name}` | {' and '.join(came)} | {text}{note} |")
    return lines


def remarks(played):
    """What the engines do where the specification leaves a choice, on both sides."""
    rows = {}
    for key, roles in played.items():
        for role in ROLES:
            for case, result in roles.get(role, {}).items():
                for remark in result["remarks"]:
                    rows.setdefault((case, remark), {}).setdefault(key, []).append(role)
    lines = ["| case | the engine's choice | engines |", "|---|---|---|"]
    for (case, remark), engines in sorted(rows.items()):
        names = (key if len(roles) == len(ROLES) or case_is_for_one(played[key], case)
                 else f"{key} as {roles[0]}" for key, roles in engines.items())
        lines.append(f"| `{case.split('/')[1]}` | {remark} | {', '.join(names)} |")
    return lines


def case_is_for_one(roles, case):
    """Whether the case was played on one side only."""
    return sum(bool(cell(roles.get(role, {}).get(case))) for role in ROLES) == 1


def page(state, notes):
    """The page of the documents."""
    engines, played = state["engines"], state["played"]
    names = {key: engine["name"] for key, engine in engines.items()}
    lines = [
        "# Conformance", "",
        "The suites `session` and `robustness` of [`nexusfix test`](../guide/test.md) against our "
        f"engine and others, in {PROFILES[0].version}, and the cases `fixt_*` of the session layer "
        f"in {PROFILES[1].begin_string}, with {PROFILES[1].version}. `make contestants` builds the "
        f"engines, plays the cases and writes this page. It was written on {state['date']}.", "",
        "| column | engine | version | language | from | set |", "|---|---|---|---|---|---|"]
    for key, engine in engines.items():
        lines.append(f"| {key} | {engine['name']} | {engine['version']} | {engine['language']} | "
                     f"{engine['source']} | {engine['settings']} |")
    if state["missing"]:
        lines += ["", "Not played: " + "; ".join(
            f"{name} ({reason})" for name, reason in state["missing"].items()) + "."]
    lines += ["", "A cell is about both sides, unless it names the initiator; some cases are for "
              "acceptors alone. A star: the case has a remark, because the specification leaves a "
              "choice; see [below](#what-the-specification-leaves-open). A failed case is not "
              "always a fault that matters; the notes say what it means. A skipped case is not "
              "judged: `12*` need a command that logs the engine out, which these programs do not "
              "have; for `2r_msg_type_not_supported` the program takes messages of any type.", "",
              "## Cases", ""]
    lines += table(played)
    lines += [""] + [f"- {names[key]} as initiator: {text}" for (key, case), text in notes.items()
                     if case == "initiator" and key in names]
    lines += ["", "## Differences"]
    lines += differences(played, names, notes)
    lines += ["", "## What the specification leaves open", ""] + remarks(played)
    wrapped = [line if line.startswith("|") else textwrap.fill(
        line, 100, subsequent_indent="  " if line.startswith("- ") else "", break_long_words=False,
        break_on_hyphens=False) for line in lines]
    return "\n".join(wrapped) + "\n"


def play_roles(options, engine, profile, state):
    """Adds the results of a profile, or the reason why it cannot be played, to the state."""
    for role in options.roles.split(","):
        name = f"{engine.name} in {profile.name} as {role}"
        state["missing"].pop(name, None)
        try:
            results = play(options.nexusfix, engine, role, profile)
            state["played"].setdefault(engine.key, {}).setdefault(role, {}).update(results)
        except Missing as missing:
            print(f"{engine.key}, {profile.name}, {role}: {missing}", flush=True)
            state["missing"][name] = str(missing)


def main():
    """Builds, plays and writes."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--nexusfix", required=True)
    parser.add_argument("--quickfix", required=True)
    parser.add_argument("--quickfixj", required=True)
    parser.add_argument("--build", default=ROOT / "build/contestants", type=Path)
    parser.add_argument("--output", default=ROOT / "docs/reference/conformance.md", type=Path)
    parser.add_argument("--only", help="engines with commas; the others keep their results")
    parser.add_argument("--roles", default="acceptor,initiator")
    parser.add_argument("--profiles", default=",".join(one.name for one in PROFILES),
                        help="profiles of peers.py with commas; the others keep their results")
    parser.add_argument("--write", action="store_true", help="only write the page again")
    options = parser.parse_args()
    for name in ("nexusfix", "quickfix", "quickfixj"):
        setattr(options, name, str(Path(getattr(options, name)).resolve()))
    options.build.mkdir(parents=True, exist_ok=True)
    memory = options.build / "results.json"
    state = {"engines": {}, "played": {}, "missing": {}}
    if memory.exists() and (options.only or options.write):
        state = json.loads(memory.read_text(encoding="utf-8"))
    for kind in ENGINES if not options.write else ():
        if options.only and kind.key not in options.only.split(","):
            continue
        engine = kind(options, options.build.resolve())
        state["missing"].pop(engine.name, None)
        try:
            engine.build()
        except Missing as missing:
            print(f"{engine.key}: {missing}", flush=True)
            if engine.key not in state["played"]:
                state["missing"][engine.name] = str(missing)
            continue
        for profile in PROFILES:
            if profile.name in options.profiles.split(","):
                play_roles(options, engine, profile, state)
        state["engines"][engine.key] = {name: getattr(engine, name) for name in (
            "name", "version", "language", "source", "settings")}
        state["date"] = f"{datetime.date.today():%Y-%m-%d}"
        memory.write_text(json.dumps(state, indent=1), encoding="utf-8")
    options.output.write_text(page(state, read_notes()), encoding="utf-8")
    print(f"written: {options.output}")


if __name__ == "__main__":
    main()

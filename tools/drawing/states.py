"""Diagrams of states. The transitions are those of a table in the source: an arrow that the table
does not have, or one that it has and the diagram does not, is an error.

    states: FILE ENUMERATION          the names of the boxes
    table: phases | can_become        how the file writes the transitions

An arrow from a frame stands for one from each state within it.
"""

import re
from pathlib import Path

from .diagram import BadText

ROOT = Path(__file__).resolve().parents[2]
COMMENT = re.compile(r"//[^\n]*")


def enumerators(source, name):
    body = re.search(rf"enum class {name}\b[^{{]*\{{(.*?)\}}", source, re.DOTALL)
    if not body:
        raise BadText(f"no enumeration {name}")
    return re.findall(r"\b([A-Z]\w*)\b", COMMENT.sub("", body[1]))


def states_of_phases(source, phases):
    """The state in which the picture draws each phase: that of kStates, if there is one, but no
    connected phase is drawn as Disconnected."""
    table = re.search(r"kStates\{(.*?)\};", source, re.DOTALL)
    states = re.findall(r"State::(\w+)", table[1]) if table else phases
    if len(states) != len(phases):
        raise BadText(f"{len(states)} states of {len(phases)} phases")
    return {phase: phase if state == "Disconnected" else state
            for phase, state in zip(phases, states)}


def phases(source, states):
    """Of an array that has `phases(Phase::A, Phase::B)` for each phase, in their order."""
    table = re.search(r"kNextPhases\{(.*?)\n\};", source, re.DOTALL)
    rows = re.findall(r"phases\(([^()]*)\)", COMMENT.sub("", table[1])) if table else []
    if len(rows) != len(states):
        raise BadText(f"{len(rows)} rows of transitions, {len(states)} states")
    drawn = states_of_phases(source, states)
    return {(drawn[phase], drawn[after]) for phase, row in zip(states, rows)
            for after in re.findall(r"Phase::(\w+)", row)}


def can_become(source, states):
    """Of a function with `case A: case B: return to == C || to == D;`."""
    body = re.search(r"bool can_become\(.*?\n\}", source, re.DOTALL)
    found, seen = set(), []
    for cases, answer in re.findall(r"((?:case \w+:\s*)+)return ([^;]*);", body[0] if body else ""):
        names = re.findall(r"case (\w+):", cases)
        answer = re.sub(r"\s+", " ", answer)
        after = re.findall(r"to == (\w+)", answer)
        if answer not in ("false", " || ".join(f"to == {name}" for name in after)):
            raise BadText(f"{answer}: not a list of states")
        seen += names
        found |= {(name, other) for name in names for other in after}
    if sorted(seen) != sorted(states):
        raise BadText(f"transitions of {', '.join(seen)}, states {', '.join(states)}")
    return found


def members(diagram, name, states):
    """The state, or the states that lie within the frame."""
    if name in states:
        return [name]
    x, y, w, h = diagram.places[name]
    return [state for state in states
            if x <= diagram.places[state][0] < x + w and y <= diagram.places[state][1] < y + h]


def check(diagram):
    path, name = diagram.values["states"].split()
    source = (ROOT / path).read_text(encoding="utf-8")
    named = enumerators(source, name)
    is_of_phases = diagram.values["table"] == "phases"
    states = list(set(states_of_phases(source, named).values())) if is_of_phases else named
    drawn_states = {name for name, kind in diagram.kinds.items() if kind not in ("frame", "inner")}
    if drawn_states != set(states):
        raise BadText(f"{path} and the boxes differ in the states "
                      f"{', '.join(sorted(drawn_states ^ set(states)))}")
    wanted = {"phases": phases, "can_become": can_become}[diagram.values["table"]](source, named)
    drawn = set()
    for begin, end, options, _ in diagram.arrows:
        befores, afters = (members(diagram, words.partition(".")[0], states)
                           for words in (begin, end))
        drawn |= {(before, after) for before in befores for after in afters}
        if "both" in options:
            drawn |= {(after, before) for before in befores for after in afters}
    for text, difference in (("has no arrow for", wanted - drawn),
                             ("has arrows that are not in", drawn - wanted)):
        if difference:
            arrows = ", ".join(f"{before} → {after}" for before, after in sorted(difference))
            raise BadText(f"the picture {text} {path}: {arrows}")

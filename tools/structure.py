"""The limits on the structure that tools/tidy.py enforces: folders, the headers that one module
offers to others, classes, and the dialect.

A class with more than CLASS_MEMBERS_SOFT data members is split, or has its reason in MANY_MEMBERS;
a large page, source or folder has its reason in LARGER.
"""

import re
from collections import Counter, defaultdict
from pathlib import Path

SOURCE_SUFFIXES = {".cpp", ".hpp", ".py"}
FOLDER_FILES_SOFT = 20
README_WANTED_ABOVE = 5
ROOM_README_LINES_MAX = 10
# Products beside the core: folders at the root. Nothing of the core includes anything of them.
PRODUCTS = ("c", "catalog", "clients", "cluster", "console", "coroutine", "explanation", "gateway",
            "http", "journal", "logger", "logs", "passwords", "proxy", "python", "record_store",
            "simulator", "stream", "tester", "testing", "venue", "venues", "wasm")
IN_PRODUCTS = tuple(f"{product}/" for product in PRODUCTS)
ROOMS = ("src/", "apps/", "tests/unit/", "bench/", *IN_PRODUCTS)
PUBLIC_HEADERS = ("include/nexusfix/",  # one README for all of its folders
                  *(f"{product}include/" for product in IN_PRODUCTS))

# What a user sees. Both figures may only shrink.
PUBLIC_HEADERS_MAX = 39
ENGINE_HEADER = "nexusfix/engine.hpp"
ENGINE_HEADER_LINES_MAX = 7_056  # of public headers, with those that it includes
# Where a public header must be named: a user finds it there.
PAGES_OF_HEADERS = ("docs/", "examples/", "tests/product/install/")
PUBLIC_INCLUDE = re.compile(r"#include <(nexusfix/[^>]+)>")
# In a comment. Headers of typed messages are generated.
NAMED_HEADER = re.compile(r"//.*?(?<![\w/])((?!nexusfix/fix)[\w/]+\.[ch]pp)\b")

CLASS_MEMBERS_SOFT = 20  # data members, with inherited ones
CLASS_FILES_MAX = 3
ENGINE_REFERENCES_MAX = 3  # components of an event loop: LoopContext, a floor below, their own
# The folders of src/engine from below. A component calls down, and is asked for what it has to
# report. The sources beside them are the public face: they see all floors.
FLOORS = ("ground", "link", "session", "policy", "directory", "service", "loop")
FLOOR_HEADERS_MAX = 18  # that floors offer to floors above them
# Components of the floor of sessions that call each other in a circle: a transaction, its actions,
# what it sends and resends are one subject.
KNOT_COMPONENTS_MAX = 4
KNOT_EDGES_MAX = 8
SESSIONS = "src/engine/session/sessions.hpp"
# Pages, sources and folders that are larger than their soft limit, and why.
LARGER = {
    "docs/operations/install.md": "one table has the options of a build",
}
MANY_MEMBERS = {
    "config/SessionSettings": "a member for each group of keys of a session",
    "config/Settings": "a member for each group of keys of a file",
    "engine/Connection": "its flags and times are in the order in which a message uses them",
    "control/EngineLogs": "one owner of every log, so that one call opens all of them again",
    "engine/LoopContext": "what all components of a loop share; it has no logic",
    "nexusfix/LoopStatistics": "a member for each statistic",
    "control/SessionCounters": "a member for each statistic",
    "engine/SessionEntry": "the parts of a session's state; it has no logic",
    "nexusfix/SessionStatistics": "a member for each statistic",
    "logs/LogStatistics": "one pass over a log fills every table of the report",
    "logs/MessageScanner": "positions in one buffer, which change together",
    "session/StateMachine": "the state that the specification gives a session",
    "simulator/WorldState": "a simulated world is one value, so that a seed repeats it",
    "store/FolderWatch": "two threads share it: each member lies beside the mutex that guards it",
    "store/Journal": "it owns every part of an open journal, and their order of destruction",
    "cluster/LogQueue": "two threads share it: each member lies beside the mutex that guards it",
    "store/LogWriter": "the end of the log: segment, pending bytes and progress move together",
    "store/PostgresOptions": "a member for each option",
    "store/Recovery": "one pass over a damaged log: what was found, and where",
    "store/SegmentSupply": "two threads share it: each member lies beside the mutex that guards it",
    "cluster/Standby": "one follower of a server: its connection, and what it saw last",
    "cluster/Writer": "one connection to a server: its state changes with each answer",
}

# Sources with a header of their name that others include, without a test of their name, and why.
TESTED_ELSEWHERE = {
    "simulator/totals.cpp": "scenario_test.cpp adds up and prints",
    "src/config/loop_partition.cpp": "event_loops_test.cpp: sessions of several loops",
    "src/config/validators.cpp": "validation_test.cpp: sessions of an engine with dictionaries",
    "src/engine/engine.cpp": "the tests of the engine open one",
    "src/engine/loop/stop_signals.cpp": "run_test.cpp sends the signals to a program of its own",
    "src/engine/session.cpp": "the tests of the engine send by it",
    "src/observe/events/event_table.cpp": "a table, of which tests/product/docs compares the page",
    "src/session/action_queue.cpp": "part of StateMachine, which its tests ask by Side",
    "src/session/actions.cpp": "a table of texts",
    "src/session/event_texts.cpp": "part of StateMachine, which its tests ask by Side",
    "src/session/outbound/outbound_header.cpp": "part of StateMachine, which its tests ask by Side",
    "src/session/sequence/out_of_order.cpp": "part of StateMachine, which its tests ask by Side",
    "src/store/scan/journal_damage.cpp": "journal_check_test.cpp compares what a check says",
    "src/store/memory/memory_store.cpp": "store_contract_test.cpp: the contract of all stores",
    "src/wire/draft/draft_fields.cpp": "the fields of a Draft: draft_edit_test.cpp",
    "src/wire/kernels/frame_shape.cpp": "kernels_test.cpp compares it for all kernels",
    "src/wire/values/fixed_text.cpp": "text_test.cpp formats all values",
}
HEADER_FOR_OTHERS = re.compile(r"(?:include/nexusfix/(\w+)|src/(\w+)/api|(\w+)/include/nexusfix)/"
                               r"(?:.*/)?(\w+)\.hpp$")
SOURCE = re.compile(r"(?:src/)?(\w+)/(?:.*/)?(\w+)\.cpp$")

# Words that the field does not speak. DIALECT_MAX may only shrink.
# In identifiers, too: blanks or underscores separate the words.
DIALECT = re.compile(r"(?<![A-Za-z])(behind|in[ _]front(?:[ _]of)?|anew|whoever|nobody|so[ _]many"
                     r"|is[ _]told|comes[ _]to[ _]nothing|of[ _]ours|is[ _]given[ _]up)"
                     r"(?![A-Za-z])", re.IGNORECASE)
DIALECT_MAX = 25

WITH_INTERFACE = ("src/", "apps/nexusfix/", *IN_PRODUCTS)
INTERFACE = re.compile(r"^Interface: ((?:.+\n)*?.*\.)$", re.MULTILINE)  # one sentence
CONFIG_INCLUDE = re.compile(r'#include [<"](?:nexusfix/)?config/([^>"]+)[>"]')
# api/changed_keys.hpp: for a reload, which of the finished settings have changed.
# api/logon_passwords.hpp: what checks them is a product.
# api/file_reader.hpp: for a reload. api/validators.hpp: of the sessions' dictionaries.
# api/preflight.hpp: what must be right before a start. api/tls_contexts.hpp: of the sessions.
ENGINE_READS = ["api/changed_keys.hpp", "api/file_reader.hpp", "api/logon_passwords.hpp",
                "api/logon_signer.hpp", "api/loop_partition.hpp", "api/preflight.hpp",
                "api/settings.hpp", "api/tls_contexts.hpp", "api/validators.hpp", "username.hpp"]
PRIVATE_INCLUDE = re.compile(r'#include "([^"]+)"')

CLASS_HEAD = re.compile(r"(?<!enum )\b(?:class|struct)\s+(?:alignas\([^)]*\)\s*)?"
                        r"(?:\[\[\w+\]\]\s*)?(?:\w+::)*(\w+)(?:\s+final)?\s*(:[^;{]*)?\{")
BASE = re.compile(r"(?:^|[:,\s])(?:public|private|protected|virtual)?\s*(?:\w+::)*([A-Z]\w*)")
METHOD = re.compile(r"^(?!\s)[^;{}=]*?\b([A-Z]\w*)(?:<[^<>]*>)?::(?:~?\w+|operator[^\s(]+)\s*\(",
                    re.MULTILINE)
FUNCTION = re.compile(r"\)\s*(?:const|noexcept|override|final|&|\s|->[^{]*|:[^{]*|requires[^{]*)*"
                      r"\{\}$")
REFERENCE = re.compile(r"^\s*(?:const )?[\w:]+& \w+_?;$", re.MULTILINE)
NO_MEMBER = re.compile(r"^\s*(?:using|friend|static|enum|struct|class|union|typedef|template"
                       r"|constexpr|inline constexpr)\b")


def body_end(code, begin):
    depth = 1
    for match in re.compile(r"[{}]").finditer(code, begin):
        depth += 1 if match[0] == "{" else -1
        if depth == 0:
            return match.start()
    return len(code)


def without_inner_blocks(body):
    """The text of a class at its own depth: of every block only the braces remain, and a function's
    body ends its statement."""
    out, depth, begin = [], 0, 0
    for match in re.finditer(r"[{}]", body):
        if match[0] == "{":
            if depth == 0:
                out.append(body[begin:match.start()] + "{")
            depth += 1
        else:
            depth -= 1
            if depth == 0:
                out.append("}")
                begin = match.end()
                head = "".join(out).rsplit(";", 1)[-1]
                is_initialiser = body[begin:].lstrip()[:1] in (",", "{")  # of a constructor
                if "(" in head and not is_initialiser and FUNCTION.search(head):
                    out.append(";")
    out.append(body[begin:])
    return "".join(out)


def member_count(body):
    count = 0
    for statement in without_inner_blocks(body).split(";"):
        statement = re.sub(r"\b(?:public|private|protected)\s*:", " ", statement)
        statement = re.sub(r"\[\[[^\]]*\]\]|alignas\([^)]*\)", " ", statement).strip()
        if not statement or NO_MEMBER.match(statement) or "operator" in statement:
            continue
        head = re.split(r"[={]", statement, maxsplit=1)[0]
        head = re.sub(r"<[^;]*>", "", head)
        if "(" not in head and len(head.split()) > 1:
            count += 1 + head.count(",")
    return count


def check_size(tree, name, count, soft, what):
    """A soft limit: what is larger has a reason."""
    if count > soft and name not in LARGER:
        tree.problem(name, 1, f"{count} {what}, more than {soft}: split it, or give the reason in "
                              "LARGER of tools/structure.py")
    elif count <= soft and name in LARGER:
        tree.problem("tools/structure.py", 1, f"{name} has {count} {what}: it needs no reason in "
                                              "LARGER")


def check_folders(tree):
    counts = Counter()
    for name in tree.texts:
        if Path(name).suffix in SOURCE_SUFFIXES:
            counts[Path(name).parent.as_posix()] += 1
    for folder, count in sorted(counts.items()):
        check_size(tree, folder, count, FOLDER_FILES_SOFT, "source files")
        if count <= README_WANTED_ABOVE or folder.startswith(PUBLIC_HEADERS):
            continue
        readme = tree.texts.get(folder + "/README.md")
        if readme is None:
            tree.problem(folder, 1, "a README.md must say what lives here, who may call it, and "
                                    "where to begin reading")
        elif folder.startswith(ROOMS) and readme.count("\n") > ROOM_README_LINES_MAX:
            tree.problem(folder + "/README.md", 1, f"{readme.count(chr(10))} lines, "
                                                   f"{ROOM_README_LINES_MAX} at most")


def owner(name):
    """The layer or program that a file belongs to."""
    parts = Path(name).parts
    if parts[0] in PRODUCTS:
        return parts[0]
    return parts[2] if parts[0] == "include" and len(parts) > 3 else parts[1]


def with_inherited(key, members, derived=()):
    """The number of data members of a class and of its bases in the same layer or program."""
    count, _, bases = members[key]
    return count + sum(with_inherited(base, members, (*derived, key)) for base in bases
                       if base in members and base != key and base not in derived)


def check_classes(tree, blank_out):
    members = {}
    files = defaultdict(set)
    for name, text in tree.of_suffix({".cpp", ".hpp"},
                                     ("include/", "src/", "apps/", "tools/", *IN_PRODUCTS)):
        code = blank_out(text)
        for match in CLASS_HEAD.finditer(code):
            count = member_count(code[match.end():body_end(code, match.end())])
            key = f"{owner(name)}/{match[1]}"
            bases = [f"{owner(name)}/{base}" for base in BASE.findall(match[2] or "")]
            members[key] = max(members.get(key, (0, "", [])), (count, name, bases))
        own = {match[1] for match in CLASS_HEAD.finditer(code)} if name.endswith(".hpp") else set()
        for match in METHOD.finditer(code):
            if match[1] not in own:  # a class's header has the short ones
                files[f"{owner(name)}/{match[1]}"].add(name)
    for key, (_, name, _) in sorted(members.items()):
        count = with_inherited(key, members)
        if count > CLASS_MEMBERS_SOFT and key not in MANY_MEMBERS:
            tree.problem(name, 1, f"{key} has {count} data members, more than "
                                  f"{CLASS_MEMBERS_SOFT}: split it, or give the reason in "
                                  "MANY_MEMBERS of tools/structure.py")
        elif count <= CLASS_MEMBERS_SOFT and key in MANY_MEMBERS:
            tree.problem("tools/structure.py", 1, f"{key} has {count} data members: "
                                                  "it needs no reason in MANY_MEMBERS")
    for key, names in sorted(files.items()):
        if len(names) > CLASS_FILES_MAX:
            tree.problem(sorted(names)[0], 1, f"files with methods of {key}: {len(names)}, "
                                              f"{CLASS_FILES_MAX} at most")


def check_references(tree, blank_out):
    for name, text in tree.of_suffix({".hpp"}, ("src/engine/",)):
        code = blank_out(text)
        for match in CLASS_HEAD.finditer(code):
            body = without_inner_blocks(code[match.end():body_end(code, match.end())])
            count = len(REFERENCE.findall(body))
            if count > ENGINE_REFERENCES_MAX:
                tree.problem(name, 1, f"{match[1]} holds {count} references, "
                                      f"{ENGINE_REFERENCES_MAX} at most")


def floor_of(name):
    """The number of the floor that a source of the engine is on; -1: what all floors know."""
    folder = Path(name).relative_to("src/engine").parts[0]
    if folder == "api":
        return -1
    return FLOORS.index(folder) if folder in FLOORS else len(FLOORS)


def check_floors(tree):
    """A source of the engine includes nothing of a floor above it."""
    for name, text in tree.of_suffix({".cpp", ".hpp"}, ("src/engine/",)):
        if floor_of(name) == len(FLOORS) and len(Path(name).parts) > len(("src", "engine", "x")):
            tree.problem(name, 1, f"the floors of the engine are {', '.join(FLOORS)}")
        for number, line in enumerate(text.split("\n"), 1):
            match = PRIVATE_INCLUDE.match(line)
            included = f"src/{match[1]}" if match else ""
            if included.startswith("src/engine/") and floor_of(included) > floor_of(name):
                tree.problem(name, number, f"it includes {match[1]}, which is on a floor above")


def calls_of_components(tree):
    """Of each component of the floor of sessions, the other ones that its methods call."""
    floor = (tree.texts.get(SESSIONS) or "").partition("\nstruct Sessions {\n")[2]
    members = dict(re.findall(r"^  (\w+) (\w+);$", floor, re.MULTILINE))
    component_of = {member: component for component, member in members.items()}
    calls = {component: set() for component in members}
    begin = re.compile(r"^(?:class (\w+)|(?!\s)[^;{}=]*?\b([A-Z]\w*)(?:<[^<>]*>)?::~?\w+\s*\()")
    for _, text in tree.of_suffix({".cpp", ".hpp"}, ("src/engine/session/",)):
        component = None
        for line in text.split("\n"):
            if match := begin.match(line):
                component = match[1] or match[2]
            used = re.findall(r"\b(?:sessions_\.(\w+)|(\w+)_\.)", line)
            for member in (of_floor or own for of_floor, own in used):
                if component in calls and component_of.get(member, component) != component:
                    calls[component].add(component_of[member])
    return calls


def knots_of(calls):
    """The sets of components that reach each other."""
    reached = {component: set(used) for component, used in calls.items()}
    for middle in calls:
        for used in reached.values():
            if middle in used:
                used |= reached[middle]
    return {frozenset(other for other in used if component in reached[other])
            for component, used in reached.items() if component in used}


def check_knot(tree):
    calls = calls_of_components(tree)
    for knot in knots_of(calls):
        edges = sum(len(calls[component] & knot) for component in knot)
        if len(knot) > KNOT_COMPONENTS_MAX or edges > KNOT_EDGES_MAX:
            tree.problem(SESSIONS, 1, f"{', '.join(sorted(knot))} call each other in {edges} ways: "
                                      f"{KNOT_COMPONENTS_MAX} components and {KNOT_EDGES_MAX} ways "
                                      "at most")


def check_dialect(tree):
    found = Counter()
    for name, text in tree.of_suffix({".cpp", ".hpp", ".py", ".cmake", ".sh", ".txt"}):
        if name != "tools/structure.py":
            found[name] += len(DIALECT.findall(text))
    total = sum(found.values())
    if total > DIALECT_MAX:
        most = ", ".join(f"{name} {count}" for name, count in found.most_common(5))
        tree.problem("tools/structure.py", 1,
                     f"{total} words of the dialect, {DIALECT_MAX} at most: {most}")


def module_of(name):
    """The folder of a source; in the engine, its floor with all folders of it."""
    folder = Path(name).parent
    in_floor = folder.parts[:2] == ("src", "engine")
    return Path(*folder.parts[:3]).as_posix() if in_floor else folder.as_posix()


def private_path(name, included):
    """The file that a source means by an included name, if it is a private header."""
    own, first = name.split("/", 1)[0], included.split("/", 1)[0]
    if first in PRODUCTS:
        return included
    if own in PRODUCTS:
        return f"{'apps' if first == 'nexusfix' else 'src'}/{included}"
    return f"{own}/{included}"


def is_product_test(name):
    return name.startswith(IN_PRODUCTS) and "/tests/" in name


def interfaces_of(tree):
    """The headers that each module's README offers to other modules. A module without a README is a
    few files, and offers all of its headers."""
    modules = {module_of(name) for name, _ in tree.of_suffix({".hpp"}, WITH_INTERFACE)
               if not is_product_test(name)}
    offered = {}
    for name, text in tree.of_suffix({".md"}, WITH_INTERFACE):
        module = Path(name).parent.as_posix()
        line = INTERFACE.search(text)
        if name.endswith("/README.md") and line:
            offered[module] = set(re.findall(r"`([^`]+)`", line[1]))
        elif name.endswith("/README.md") and module in modules:
            tree.problem(name, 1, 'the line "Interface:" must name the headers for other modules, '
                                  'or "no header"')
    return offered


def check_interfaces(tree):
    offered = interfaces_of(tree)
    used = defaultdict(set)
    for name, text in tree.of_suffix({".cpp", ".hpp"}, WITH_INTERFACE):
        if is_product_test(name):
            continue
        module = module_of(name)
        for number, line in enumerate(text.split("\n"), 1):
            match = PRIVATE_INCLUDE.match(line)
            path = private_path(name, match[1]) if match else ""
            other = module_of(path) if match else ""
            if other == module or other not in offered:
                continue
            header = path[len(other) + 1:]
            used[other].add(header)
            if header not in offered[other]:
                tree.problem(name, number, f"{header} is private to {other}; its README names the "
                                           "headers for other modules")
    for module, headers in sorted(offered.items()):
        for header in sorted(headers - used[module]):
            tree.problem(f"{module}/README.md", 1,
                         f"no other module includes {header}: it is private")
    count = sum(len(used[f"src/engine/{floor}"]) for floor in FLOORS)
    if count > FLOOR_HEADERS_MAX:
        tree.problem("src/engine/README.md", 1, f"floors offer {count} headers to others, "
                                                f"{FLOOR_HEADERS_MAX} at most")


def check_triples(tree):
    """include/nexusfix/wire/frame.hpp and src/wire/frame.cpp have a frame_test.cpp."""
    headers = {(match[1] or match[2] or match[3], match[4]) for name in tree.texts
               if (match := HEADER_FOR_OTHERS.match(name))}
    tests = {Path(name).stem.removesuffix("_test") for name in tree.texts
             if name.endswith("_test.cpp")}
    for name, _ in tree.of_suffix({".cpp"}, ("src/", *IN_PRODUCTS)):
        match = SOURCE.match(name)
        if is_product_test(name) or (match[1], match[2]) not in headers:
            continue
        if match[2] not in tests and name not in TESTED_ELSEWHERE:
            tree.problem(name, 1, f"there is no {match[2]}_test.cpp: name the test for the source, "
                                  "or say in TESTED_ELSEWHERE which test it is")
        elif match[2] in tests and name in TESTED_ELSEWHERE:
            tree.problem("tools/structure.py", 1, f"{name} has a test of its name: it needs no "
                                                  "reason in TESTED_ELSEWHERE")


def check_settings_includes(tree):
    """The engine gets finished settings: it knows no key, and no text of a configuration."""
    for name, text in tree.of_suffix({".cpp", ".hpp"}, ("src/engine/", "include/nexusfix/engine/")):
        for number, line in enumerate(text.split("\n"), 1):
            match = CONFIG_INCLUDE.match(line)
            if match and match[1] not in ENGINE_READS:
                tree.problem(name, number, f"the engine includes of config only {ENGINE_READS}")


def lines_with_includes(tree, header):
    """The lines of a public header of the core, and of those that it includes."""
    lines, waiting = {}, [header]
    while waiting:
        text = tree.texts.get(f"include/{(name := waiting.pop())}")
        if text is not None and name not in lines:
            lines[name] = text.count("\n")
            waiting += PUBLIC_INCLUDE.findall(text)
    return sum(lines.values())


def check_public_headers(tree):
    """A user finds each public header, and there are few."""
    headers = [name for name, _ in tree.of_suffix({".hpp"}, ("include/",))]
    of_products = [name for name, _ in tree.of_suffix({".hpp"}, IN_PRODUCTS)
                   if "/include/nexusfix/" in name]
    pages = "\n".join(text for name, text in tree.texts.items()
                      if text is not None and name.startswith(PAGES_OF_HEADERS))
    for name in (*headers, *of_products):
        if not re.search(rf"(?<![\w/]){re.escape(name.split('include/', 1)[1])}", pages):
            tree.problem(name, 1, "no example, page or test of the installation names this public "
                                  "header: src/<layer>/api has headers that only layers include")
        for number, line in enumerate(tree.texts[name].split("\n"), 1):
            for named in NAMED_HEADER.findall(line):
                if not any(other.endswith("/" + named) for other in (*headers, *of_products)):
                    tree.problem(name, number, f"users have no {named}: name a public header, a "
                                               "key or a page")
    if len(headers) > PUBLIC_HEADERS_MAX:
        tree.problem("include/nexusfix", 1, f"{len(headers)} public headers, "
                                            f"{PUBLIC_HEADERS_MAX} at most")
    lines = lines_with_includes(tree, ENGINE_HEADER)
    if lines > ENGINE_HEADER_LINES_MAX:
        tree.problem(f"include/{ENGINE_HEADER}", 1, f"includes {lines} lines, "
                                                    f"{ENGINE_HEADER_LINES_MAX} at most")


def check_structure(tree, blank_out):
    check_public_headers(tree)
    check_folders(tree)
    check_interfaces(tree)
    check_settings_includes(tree)
    check_classes(tree, blank_out)
    check_references(tree, blank_out)
    check_triples(tree)
    check_floors(tree)
    check_knot(tree)
    check_dialect(tree)

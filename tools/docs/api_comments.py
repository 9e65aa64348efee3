"""A header for Doxygen, with its plain comments as documentation comments.

The first comment of a file describes the file. Any other comment describes the declaration below
it or, after code, the declaration on its line. Indented lines of a comment are code. All other
text is plain: nothing in it is a command. Line numbers stay as they are.

Two things are left out: the members of iterators, which are those that C++ requires, and the
specialisations of variables of the standard library, which Doxygen does not understand.
"""

import re

COMMENT = re.compile(r"^( *)//(?: (.*))?$")
TRAILING = re.compile(r"^( *[^ /#}].*?[^ {] {2,})// (.*)$")
QUOTED = re.compile(r"(`[^`]*`)")
SPECIAL = re.compile(r"[\\@<>&#$%*~|]|^[+](?= )|\B_|_\B|(?<=-)-")
ITERATOR = re.compile(r"^ *class (\w+::)?Iterator {$")
SPECIALISED = re.compile(r"^inline constexpr \w+ std::.*;$")
NO_TEXT = ("NOLINT", "clang-format", "NOSONAR")


def escaped(text):
    parts = QUOTED.split(text)
    parts[::2] = [SPECIAL.sub(r"\\\g<0>", part) for part in parts[::2]]
    return "".join(parts)


def block(indent, lines, begin):
    """A comment of whole lines. Doxygen's marks of code stand on the lines of the code."""
    is_code = [line.startswith("  ") for line in lines]
    for i in range(1, len(lines) - 1):  # an empty line within code
        is_code[i] = is_code[i] or not lines[i] and is_code[i - 1] and is_code[i + 1]
    for i, line in enumerate(lines):
        if is_code[i]:
            text = "@code{.cpp} " if i == 0 or not is_code[i - 1] else ""
            text += line + (" @endcode" if i + 1 == len(lines) or not is_code[i + 1] else "")
        else:
            text = escaped(line)
        yield f"{indent}/// {begin}{text}"
        begin = ""


def without_details(lines):
    is_iterator = False
    for line in lines:
        is_iterator = is_iterator or ITERATOR.match(line)
        if is_iterator and line.strip() == "public:":
            is_iterator = False
            line = line.replace("public:", "private:")
        yield "" if SPECIALISED.match(line) else line


def converted(name, lines):
    at = 0
    while at < len(lines):
        if comment := COMMENT.match(lines[at]):
            end = at
            while end < len(lines) and (line := COMMENT.match(lines[end])) and (
                    line[1] == comment[1]):
                end += 1
            texts = [COMMENT.match(line)[2] or "" for line in lines[at:end]]
            if texts[0].startswith(NO_TEXT):
                yield from lines[at:end]
            else:
                yield from block(comment[1], texts, f"@file {name} " if at == 0 else "")
            at = end
            continue
        found = TRAILING.match(lines[at])
        if not found or found[2].startswith(NO_TEXT):
            yield lines[at]
            at += 1
            continue
        # In one block, because Doxygen would take the next comment as a part of this one.
        column = " " * len(found[1])
        texts = [f"{found[1]}/**< {escaped(found[2])}"]
        at += 1
        while at < len(lines) and (more := COMMENT.match(lines[at])) and more[1] == column:
            texts.append(column + escaped(more[2] or ""))
            at += 1
        yield from texts[:-1]
        yield texts[-1] + " */"


def documented(name, header):
    lines = list(without_details(header.splitlines()))
    return "\n".join(converted(name, lines)) + "\n"

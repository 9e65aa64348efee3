"""The language of the documents: words that the field does not use, and overlong sentences.

    python3 tools/words.py docs/guide/*.md    # prints every finding
"""

import re
import sys
from pathlib import Path

SENTENCE_WORDS_MAX = 35

# A phrase and what to write. Code and quoted code are not read.
VOCABULARY = {
    r"behind": "after (order, time), or name the side",
    r"in front of": "before",
    r"anew|once more": "again",
    r"whoever|nobody": "the client, the counterparty, the caller, no thread",
    r"(?:is|are|was|were|be) told(?: of)?|tells": "is notified, is reported, logs, shows",
    r"ours|theirs": "that of our side, the counterparty's",
    r"of its own accord": "by itself",
    r"(?:(?!(?:sequence|random|whole|decimal)\s)\w+\s+|(?<=[|.:;]\s))numbers(?!\s+(?:of|that)\b)":
        "sequence numbers, MsgSeqNums, or what they count",
    r"what hinders|what is wrong": "the conflict, the error",
    r"g[ia]ves? up|given up": "aborts, is aborted",
    r"lets? in|let in": "admits, accepts",
    r"begins? anew": "is reset",
    r"given out": "an assigned MsgSeqNum",
    r"c[oa]mes? to nothing": "fails",
    r"so many|so long(?! as)": "the number of, at most N",
    r"the (?:road|way)": "the path",
    r"nothing is asked of": "it is not checked",
    r"all the same": "nevertheless, still",
    r"stands? still": "stops, is stalled",
    r"looks? after": "monitors, maintains",
    r"strangers?": "unauthenticated peer, unknown client",
}
PATTERNS = [(re.compile(rf"\b(?:{words})\b", re.IGNORECASE), better)
            for words, better in VOCABULARY.items()]

FILE_NAME = re.compile(r"\[[^\]\n]*\.md\]\(")
FENCE = re.compile(r"^( *)(```|~~~).*?^\1\2[ ]*$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`\n]+`(?:\n)?")
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
LINK = re.compile(r"\]\([^)]*\)")
BREAK = re.compile(r"\n\s*\n|^\s*(?:[-*+]|\d+\.)\s|^#+ .*$|\n\s*\||\|", re.MULTILINE)
# Comment lines that follow one another are one: a phrase may go on in the next line.
COMMENT_OR_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*(?:\n[ ]*//[^\n]*)*')
SENTENCE_END = re.compile(r"(?<=[.!?:;])[\"')*_]*\s+")


def blank(match):
    return re.sub(r"[^\n]", " ", match[0])


def prose_of(text):
    """The text with code blocks and link targets blanked out; every line keeps its number."""
    for pattern in (FENCE, COMMENT, LINK):
        text = pattern.sub(blank, text)
    return CODE.sub(lambda match: "X" + re.sub(r"[^\n]", " ", match[0][1:]), text)


def findings(text):
    """(line, is_error, what) of everything found in a document."""
    prose = prose_of(text)
    for match in FILE_NAME.finditer(text):
        yield (text.count("\n", 0, match.start()) + 1, True,
               f'a link "{match[0][1:-2]}": write what the page is')
    for pattern, better in PATTERNS:
        for match in pattern.finditer(prose):
            yield prose.count("\n", 0, match.start()) + 1, True, f'"{match[0]}": write {better}'
    begin = 0
    ends = [(match.start(), match.end()) for match in BREAK.finditer(prose)]
    for end, following in ends + [(len(prose), len(prose))]:
        place = begin
        for sentence in SENTENCE_END.split(prose[begin:end]):
            count = len(re.findall(r"\w[\w'’.-]*", sentence))
            if count > SENTENCE_WORDS_MAX:
                at = prose.find(sentence, place)
                yield (prose.count("\n", 0, at) + 1, False,
                       f"a sentence of {count} words, {SENTENCE_WORDS_MAX} at most")
        begin = following


def in_code(text):
    """(line, what) of every phrase in the comments and strings of a source. Its numbers are of many
    kinds."""
    for prose in COMMENT_OR_STRING.finditer(text):
        for pattern, better in PATTERNS:
            for match in pattern.finditer(prose[0]):
                if "numbers" not in match[0].lower():
                    yield (text.count("\n", 0, prose.start() + match.start()) + 1,
                           f'"{match[0]}": write {better}')


def main():
    count = 0
    for name in sys.argv[1:]:
        for line, is_error, what in sorted(findings(Path(name).read_text(encoding="utf-8"))):
            print(f"{name}:{line}: {'error' if is_error else 'warning'}: {what}")
            count += 1
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())

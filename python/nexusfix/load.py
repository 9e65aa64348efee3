"""Dictionaries of counterparties, from files."""

from __future__ import annotations

import os

from nexusfix._core import Dictionary


def load_dictionary(path: str | os.PathLike[str]) -> Dictionary:
    """The dictionary in a file: QuickFIX XML or FIX Orchestra.

    Session messages that the file lacks are those of the standard. Raises DictionaryError, with a
    line for each fault, and OSError.
    """
    with open(path, "rb") as file:
        return Dictionary.from_text(file.read(), os.fspath(path))


def builtin_dictionary(version: str) -> Dictionary:
    """The dictionary of a version: "FIX.4.4", "fix44" or "5.0SP2". Raises DictionaryError."""
    return Dictionary.builtin(version)


def dictionary_of_text(text: str | bytes, name: str) -> Dictionary:
    """A dictionary of the text of a file. Raises DictionaryError, with name as the file."""
    return Dictionary.from_text(text, name)

"""The modules nexusfix.fix40 to nexusfix.fixt11: messages and enumerations of a version, made when
they are asked for."""

from __future__ import annotations

from collections.abc import Callable

from nexusfix._core import Dictionary, member, member_names


def module_functions(
    version: str, names: dict[str, object]
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """__getattr__ and __dir__ of the module with these names."""

    def get(name: str) -> object:
        if name == "dictionary":
            found: object = Dictionary.builtin(version)
        else:
            found = None if name.startswith("__") else member(Dictionary.builtin(version), name)
        if found is None:
            raise AttributeError(f"{version} has no message or enumeration {name!r}")
        names[name] = found
        return found

    def listed() -> list[str]:
        return ["dictionary", *member_names(Dictionary.builtin(version))]

    return get, listed

#!/usr/bin/env python3
"""Writes a C++ source with the files of the console's page.

    embed.py OUTPUT.cpp FILE...
"""

import sys
from pathlib import Path

TYPES = {".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8",
         ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}
# A string literal of C++ may be too long for a compiler; adjacent ones are joined.
LITERAL_BYTES = 8000


def literal(content):
    """The content as string literals in octal escapes where C++ needs them."""
    pieces = []
    for start in range(0, len(content), LITERAL_BYTES):
        piece = ""
        for byte in content[start:start + LITERAL_BYTES]:
            plain = 32 <= byte < 127 and byte not in b'"\\?'
            piece += chr(byte) if plain else f"\\{byte:03o}"
        pieces.append(f'"{piece}"')
    return "\n".join(pieces) or '""'


def main(output, names):
    rows = []
    for name in names:
        file = Path(name)
        path = "/" if file.name == "index.html" else f"/{file.name}"
        content = file.read_bytes()
        rows.append(f'{{"{path}", "{TYPES[file.suffix]}",\n'
                    f'std::string_view{{{literal(content)}, {len(content)}}}}},')
    text = ('#include "console/page/page_files.hpp"\n\nnamespace nexusfix::web {\nnamespace {\n'
            "constexpr PageFile kFiles[] = {\n" + "\n".join(rows) + "\n};\n}  // namespace\n"
            "std::span<const PageFile> page_files() noexcept { return kFiles; }\n"
            "}  // namespace nexusfix::web\n")
    Path(output).write_text(text)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])

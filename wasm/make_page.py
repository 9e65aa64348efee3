#!/usr/bin/env python3
"""Makes the page that decodes logs: one HTML file with its style, its program and the module.

    make_page.py MODULE VERSION PAGE

Its policy allows this program and this style by their digests, and no connection at all.
"""

import base64
import gzip
import hashlib
import sys
from pathlib import Path

WASM = Path(__file__).resolve().parent
# No connection, no other file, no form, no frame. wasm-unsafe-eval: the module may be compiled.
POLICY = ("default-src 'none'; script-src '{script}' 'wasm-unsafe-eval'; style-src '{style}'; "
          "img-src data:; base-uri 'none'; form-action 'none'")


def digest_of(text):
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def read(name):
    return (WASM / name).read_text(encoding="utf-8")


def make_page(module, version):
    style = read("page/decoder.css")
    program = read("page/decoder.js").replace("@EXAMPLE@", read("page/example.log"))
    script = f"{read('npm/index.js')}\n{program}"
    packed = base64.b64encode(gzip.compress(module, 9, mtime=0)).decode()
    policy = POLICY.format(script=digest_of(script), style=digest_of(style))
    page = read("page/decoder.html")
    for name, value in (("POLICY", policy), ("STYLE", style), ("VERSION", version),
                        ("MODULE", packed), ("SCRIPT", script)):
        page = page.replace(f"@{name}@", value)
    return page


def main():
    module, version, page = sys.argv[1:]
    Path(page).write_text(make_page(Path(module).read_bytes(), version), encoding="utf-8")


if __name__ == "__main__":
    main()

"""The client of one language: its own tests, its example, and the conformance of all clients.

    client_test.py LANGUAGE NEXUSFIX CLIENTS DICTIONARY WORK_FOLDER
    client_test.py rust NEXUSFIX CLIENTS DICTIONARY WORK_FOLDER LIBRARY_FOLDER

Copies the client into the work folder, and makes the types of the dictionary there. The crate of
Rust is c/rust, which makes its own types, and links libnexusfix_c.so.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from world import LIMIT_S, TOKEN, World

SKIPPED = 77


class Go:
    tools = ("go",)
    doors = ("socket", "memory")

    def test(self, folder):
        for task in (["vet", "./..."], ["test", "./..."], ["build", "-o", "bin/", "./..."]):
            run(["go", *task], folder)

    def example(self, folder):
        return [f"{folder}/bin/order"]

    def conformance(self, folder):
        return [f"{folder}/bin/conformance"]


class Java:
    tools = ("javac", "java")
    doors = ("socket", "memory")

    def test(self, folder):
        sources = sorted(folder.rglob("*.java"))
        run(["javac", "-Xlint:all", "-Werror", "--release", "17", "-d", "classes", *sources],
            folder)
        run(["java", "-cp", "classes", "nexusfix.ClientTest"], folder)

    def example(self, folder):
        return ["java", "-cp", f"{folder}/classes", "Order"]

    def conformance(self, folder):
        return ["java", "-cp", f"{folder}/classes", "Conformance"]


class TypeScript:
    tools = ("node",)

    def __init__(self):
        """By WebSocket, too, if this version of Node and the gateway have one."""
        self.node, self.doors = ["node"], ("socket",)
        command = ["node", "--experimental-websocket", "-p", "typeof WebSocket"]
        if os.environ.get("NEXUSFIX_WEB") == "OFF" or shutil.which("node") is None:
            return
        says = subprocess.run(command, capture_output=True, text=True, check=False).stdout
        if says == "function\n":
            self.node, self.doors = command[:2], ("socket", "web")

    def test(self, folder):
        tests = sorted(folder.glob("test/*.test.js"))
        run(["node", "--test", *tests], folder)
        tsc = shutil.which("tsc")
        if tsc is not None:
            run([tsc, "-p", "."], folder)

    def example(self, folder):
        return ["node", f"{folder}/example/order.js"]

    def conformance(self, folder):
        return [*self.node, f"{folder}/conformance/main.js"]


class Rust:
    tools = ("cargo",)

    def test(self, folder):
        os.environ["CARGO_TARGET_DIR"] = str(folder)
        crate = Path(__file__).parents[2] / "c" / "rust"
        run(["cargo", "build", "--examples", "--offline"], crate)

    def example(self, folder):
        return [f"{folder}/debug/examples/gateway_order"]

    def conformance(self, folder):
        return [f"{folder}/debug/examples/gateway_conformance"]


LANGUAGES = {"go": Go(), "java": Java(), "rust": Rust(), "typescript": TypeScript()}


def run(command, folder, **options):
    return subprocess.run([str(word) for word in command], cwd=folder, check=True,
                          stdin=subprocess.DEVNULL, **options)


def usage_is_one_line(command):
    ran = subprocess.run(command, capture_output=True, text=True, check=False,
                         stdin=subprocess.DEVNULL, timeout=LIMIT_S)
    print(ran.stdout + ran.stderr)
    return ran.returncode != 0 and re.fullmatch(r"(.* )?usage: .*\n", ran.stdout + ran.stderr)


def run_example(nexusfix, command):
    """Twice: each order has a ClOrdID of its own, so the venue takes both. Then as an observer,
    whose order is refused, and with a wrong token: one line says why, and the status is 1."""
    with tempfile.TemporaryDirectory(prefix="nxf") as folder:
        world = World(nexusfix, folder)
        try:
            world.start_gateway()
            first, again, refused, denied = [
                subprocess.run([*command, world.socket, name, token], capture_output=True,
                               text=True, stdin=subprocess.DEVNULL, timeout=LIMIT_S, check=False)
                for name, token in (("desk", TOKEN), ("desk", TOKEN), ("watch", TOKEN),
                                    ("desk", "wrong" + TOKEN))]
        finally:
            world.close()
    for ran in (first, again, refused, denied):
        print(ran.stdout + ran.stderr)
    for ran, why in ((refused, "an observer sends nothing"), (denied, "token")):
        if ran.returncode != 1 or not re.fullmatch(rf".*{why}.*\n", ran.stdout + ran.stderr):
            print(f"status {ran.returncode}; one line with \"{why}\" was expected")
            return False
    statuses = [re.search(r"OrderID \S+, OrdStatus (\S+)\n", ran.stdout) for ran in (first, again)]
    return all(statuses) and statuses[0][1] == statuses[1][1]


def main(name, nexusfix, clients, dictionary, work, libraries=None):
    language = LANGUAGES[name]
    for tool in language.tools:
        if shutil.which(tool) is None:
            print(f"skipped: {tool} is not installed")
            return SKIPPED
    folder = Path(work, name)
    if libraries is None:
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(Path(clients, name), folder)
        run([nexusfix, "codegen", "--language", name, "-o", folder, dictionary], work)
    else:
        os.environ.update({"NEXUSFIX_LIB_DIR": libraries, "LD_LIBRARY_PATH": libraries})
    language.test(folder)
    example = language.example(folder)
    if not usage_is_one_line(example) or not run_example(nexusfix, example):
        return 1
    conformance = Path(__file__).with_name("conformance.py")
    for door in getattr(language, "doors", ("socket",)):
        run([sys.executable, "-B", conformance, nexusfix, *language.conformance(folder)], work,
            env={**os.environ, "NEXUSFIX_DOOR": door})
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

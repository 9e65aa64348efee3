#!/usr/bin/env python3
"""Man pages, completion of shells, and the pager: from the words of `--help`."""

import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import unittest

import command_test
from command_test import WithFolder, run


def names():
    return re.findall(r"(?m)^  ([\w-]+) .*\n +\$ nexusfix", run("--help").stdout)


def on_terminal(arguments, environment, keys=b"", then=None, output=None):
    """Runs the command with a terminal as its output. Returns what it printed, and its status."""
    pid, terminal = pty.fork()
    if pid == 0:
        if output:
            os.dup2(os.open(output, os.O_WRONLY), 1)
        os.execve(command_test.NEXUSFIX, [command_test.NEXUSFIX, *map(str, arguments)],
                  {**os.environ, **environment})
    if keys:
        os.write(terminal, keys)
    shown = b""
    try:
        while got := os.read(terminal, 4096):
            shown += got
            if then:
                then(pid, shown)
    except OSError:
        pass  # the terminal's other end was closed
    _, status = os.waitpid(pid, 0)
    os.close(terminal)
    return shown.decode(), os.waitstatus_to_exitcode(status)


class Pages(WithFolder):
    def test_each_subcommand_has_a_man_page_without_faults(self):
        mandoc = shutil.which("mandoc")
        self.assertIsNotNone(mandoc, "mandoc is not installed")
        self.assertEqual(run("help", "--write", self.folder).returncode, 0)
        pages = sorted((self.folder / "man" / "man1").iterdir())
        self.assertEqual(len(pages), len(names()) + 1)
        for page in pages:
            with self.subTest(page.name):
                done = subprocess.run([mandoc, "-T", "lint", "-W", "warning", page],
                                      capture_output=True, text=True, check=False)
                complaints = [line for line in done.stdout.splitlines()
                              if "missing date" not in line]
                self.assertEqual(complaints, [])
                shown = subprocess.run([mandoc, "-T", "utf8", page], capture_output=True, text=True,
                                       check=True).stdout
                # A bold letter is printed twice.
                self.assertIn("NAME\n", re.sub(".\b", "", shown))

    def test_a_man_page_has_every_option_of_the_help(self):
        for name in names():
            page = run("help", name, "--man").stdout.replace("\\-", "-")
            for option in re.findall(r"(?m)^  (?:-\w, )?(--[\w-]+)", run(name, "--help").stdout):
                self.assertIn(option, page, name)

    def test_help_explains_a_subcommand_and_suggests_one(self):
        self.assertEqual(run("help").stdout, run("--help").stdout)
        self.assertEqual(run("help", "grep").stdout, run("grep", "--help").stdout)
        done = run("help", "gerp")
        self.assertEqual(done.returncode, 2)
        self.assertIn("there is no subcommand 'gerp'. Did you mean 'grep'?", done.stderr)
        self.assertEqual(run("help", "--completion", "csh").returncode, 2)

    def test_mcp_without_the_python_package_names_the_package(self):
        done = run("mcp", "--logs", ".")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("docs/guide/python-mcp.md", done.stderr)
        done = run("mcp", "--help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("--logs FOLDER", done.stdout)

    def test_an_unwritable_folder_is_an_error(self):
        done = run("help", "--write", "/proc/none")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"\Anexusfix help: .*\n\Z")


class Completion(WithFolder):
    def script(self, shell):
        done = run("help", "--completion", shell)
        self.assertEqual(done.returncode, 0)
        return self.write(f"completion.{shell}", done.stdout)

    def test_bash_completes_subcommands_options_and_nested_subcommands(self):
        script = self.script("bash")
        for words, expected in ((["gr"], {"grep"}), (["grep", "--co"], {"--count", "--context"}),
                                (["journal", "ver"], {"verify"}),
                                (["journal", "show", "--he"], {"--help"}), (["grep", "x"], set()),
                                (["grep", "--as", "x"], {"xz"}),
                                (["grep", "--as", "=", "g"], {"gzip"}),
                                (["decode", "--color", "''"], {"auto", "always", "never"}),
                                (["dict", "--version", "FIXT"], {"FIXT.1.1"}),
                                (["help", "--completion", "z"], {"zsh"}),
                                (["journal", "show", "--direction", "''"],
                                 {"in", "out", "both"}),
                                (["validate", "--set", "''"], set()),
                                (["journal", "show", "--dict", "x"], set())):
            line = " ".join(["nexusfix", *words])
            done = subprocess.run(
                ["bash", "-c", f"source {script}; COMP_WORDS=({line}); "
                 f"COMP_CWORD={len(words)}; _nexusfix; echo \"${{COMPREPLY[@]}}\""],
                capture_output=True, text=True, check=True)
            self.assertEqual(done.stderr, "")
            self.assertEqual(set(done.stdout.split()), expected, line)

    def test_fish_completes_with_descriptions(self):
        fish = shutil.which("fish")
        self.assertIsNotNone(fish, "fish is not installed")
        script = self.script("fish")
        for line, expected in (("nexusfix gr", "grep\tfind messages in logs by their fields"),
                               ("nexusfix grep --cou", "--count\t"),
                               ("nexusfix journal ver", "verify\t"),
                               ("nexusfix grep --as g", "gzip"),
                               ("nexusfix grep --as=x", "--as=xz"),
                               ("nexusfix decode --color n", "never"),
                               ("nexusfix journal show --direction o", "out")):
            done = subprocess.run([fish, "--no-config", "-c",
                                   f"source {script}; complete -C '{line}'"],
                                  capture_output=True, text=True, check=True,
                                  env={**os.environ, "HOME": str(self.folder)})
            self.assertEqual(done.stderr, "")
            self.assertIn(expected, done.stdout)

    def test_zsh_completes_in_a_terminal(self):
        zsh = shutil.which("zsh")
        self.assertIsNotNone(zsh, "zsh is not installed")
        script = self.script("zsh")
        self.assertEqual(subprocess.run([zsh, "-n", script], capture_output=True,
                                        check=True).stderr, b"")
        # A terminal within zsh: its completion needs a line editor.
        program = f"""
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PROMPT='>'; autoload -U compinit; compinit -u -D; source {script}; echo rea''dy"
zpty -r shell out '*ready*'
zpty -w -n shell "nexusfix grep --max-c$(printf '\\t')"
zpty -r -m shell out '*--max-count*'
print -r -- "$out"
for word in '--as jour' '--as=jour'; do
  zpty -w -n shell "$(printf '\\x15')nexusfix grep $word$(printf '\\t')"
  zpty -r -m shell out '*jour*nal*'
  print -r -- "$word: $out"
done
"""
        done = subprocess.run([zsh, "-f", "-c", program], capture_output=True, text=True,
                              timeout=60, check=False, env={**os.environ, "TERM": "dumb"})
        self.assertIn("--max-count", done.stdout, done.stderr)
        for word in ("--as jour", "--as=jour"):
            self.assertRegex(done.stdout, f"(?s){word}: .*{word}nal", done.stderr)


class Progress(WithFolder):
    def test_a_bar_is_shown_after_a_second_and_erased_at_the_end(self):
        log = self.folder / "messages.log"
        order = "8=FIX.4.4|9=5|35=0|10=163|\n" * 10_000
        with log.open("w") as file:
            for _ in range(700):
                file.write(order)
        shown, status = on_terminal(["anonymise", log], {"NEXUSFIX_PAGER": ""}, output="/dev/null")
        self.assertEqual(status, 0)
        self.assertRegex(shown, r"\r\x1b\[K\S* +\d+ %  [\d,]+ of [\d,]+ MB")
        self.assertTrue(shown.endswith("\r\x1b[K"), shown[-200:])
        shown, status = on_terminal(["grep", "-c", "35=1", self.write("short.log", order)],
                                    {"NEXUSFIX_PAGER": ""}, output="/dev/null")
        self.assertEqual((shown, status), ("", 1))

    def long_log(self):
        """Orders with two texts: a few with the first one, and then the others."""
        body = "35=D|34=1|49=T|56=V|11=A1|58={}|"
        lines = [f"8=FIX.4.4|9={len(body.format(text))}|{body.format(text)}10=000|\n" * 10_000
                 for text in ("first", "later")]
        log = self.folder / "long.log"
        with log.open("w") as file:
            file.write(lines[0])
            for _ in range(400):
                file.write(lines[1])
        return log

    def test_a_command_that_prints_at_its_end_has_a_bar_until_then(self):
        shown, status = on_terminal(["order", "A2", self.long_log()], {"NEXUSFIX_PAGER": ""})
        self.assertEqual(status, 1)
        self.assertRegex(shown, r"\r\x1b\[K\S* +\d+ %  [\d,]+ of [\d,]+ MB")
        end = "\r\x1b[Knexusfix order: no order has the identifier A2\r\n"
        self.assertTrue(shown.endswith(end), shown[-200:])

    def test_a_bar_does_not_disturb_output_on_the_terminal(self):
        words = ["anonymise", "--where", 'Text~"^f(i|r|s)*t$"', self.long_log()]
        shown, status = on_terminal(words, {"NEXUSFIX_PAGER": ""})
        self.assertEqual((status, shown.count("8=FIX")), (0, 10_000))
        self.assertNotIn("%", shown[shown.index("8=FIX"):])


class Paged(WithFolder):
    def setUp(self):
        super().setUp()
        self.log = self.write("messages.log", "8=FIX.4.4|9=5|35=0|10=163|\n" * 3)

    def test_a_terminal_gets_the_output_by_the_pager(self):
        shown, status = on_terminal(["grep", "35=0", self.log],
                                    {"NEXUSFIX_PAGER": "sed s/^/PAGED:/"})
        self.assertEqual((shown.count("PAGED:8=FIX.4.4"), status), (3, 0), shown)
        shown, _ = on_terminal(["grep", "35=0", self.log], {"NEXUSFIX_PAGER": "",
                                                            "PAGER": "sed s/^/PAGED:/"})
        self.assertNotIn("PAGED", shown)
        for words in (["stats"], ["diff", self.write("other.log", "")], ["decode"], ["validate"]):
            shown, _ = on_terminal([*words, self.log], {"NEXUSFIX_PAGER": "sed s/^/PAGED:/"})
            self.assertIn("PAGED:", shown, words)
        shown, status = on_terminal(["grep", "35=1", self.log], {"NEXUSFIX_PAGER": "cat"})
        self.assertEqual((shown, status), ("", 1))

    def test_without_a_pager_the_output_is_shown_as_it_is(self):
        shown, status = on_terminal(["grep", "35=0", self.log], {"NEXUSFIX_PAGER": "/no/pager"})
        self.assertEqual((shown.count("8=FIX.4.4"), status), (3, 0), shown)

    def test_a_pipe_and_following_have_no_pager(self):
        done = run("grep", "35=0", self.log, env={**os.environ, "NEXUSFIX_PAGER": "sed s/^/P:/"})
        self.assertNotIn("P:", done.stdout)

    def test_colours_reach_the_pager(self):
        shown, _ = on_terminal(["decode", self.log], {"NEXUSFIX_PAGER": "sed s/^/P:/"})
        self.assertIn("P:\x1b[", shown)

    def test_ctrl_c_waits_for_the_pager(self):
        sent = []

        def interrupt(pid, shown):
            if b"PAGED:" in shown and not sent:
                sent.append(pid)
                os.kill(pid, signal.SIGINT)

        shown, status = on_terminal(["decode", "-"], {
            "NEXUSFIX_PAGER": "sed -u s/^/PAGED:/; echo end of the pager"},
            keys=b"8=FIX.4.4|9=5|35=0|10=163|\n", then=interrupt)
        self.assertIn("end of the pager", shown)
        self.assertEqual(status, 1)


if __name__ == "__main__":
    command_test.NEXUSFIX = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)

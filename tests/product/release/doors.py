"""The page of the first ten minutes, in a root that has nothing else: what its reader types."""

import re
import shutil
import time
import unittest

from roots import OUT, ROOT, Root, this_release

PAGE = ROOT / "docs/guide/first-ten-minutes.md"
FILE_BLOCK = re.compile(r"^```\w+ file=(\S+)\n(.*?)^```", re.MULTILINE | re.DOTALL)


class DoorsTest(unittest.TestCase):
    """Prints how long each door takes. The network is that of apt only."""

    roots = None  # the folder of roots; main sets it

    @classmethod
    def setUpClass(cls):
        shutil.rmtree(cls.roots / "doors", ignore_errors=True)
        cls.root = Root(this_release(), cls.roots, "doors")
        cls.root.run("apt-get", "update")
        cls.root.run("apt-get", "install", "-y", "--no-install-recommends", "xz-utils")

    def setUp(self):
        """A folder with the files of the page, of an ordinary user."""
        self.place = self.root.folder / "opt/door"
        shutil.rmtree(self.place, ignore_errors=True)
        self.place.mkdir(mode=0o777)
        self.place.chmod(0o777)
        for name, text in FILE_BLOCK.findall(PAGE.read_text(encoding="utf-8")):
            (self.place / name).write_text(text, encoding="utf-8")
        [archive] = OUT.glob("nexusfix-*-linux-x86_64.tar.xz")
        shutil.copy(archive, self.place)

    def door(self, person, *scripts):
        """Runs each script in the folder, by its user; returns what the last one has printed."""
        started = time.monotonic()
        for user, script in scripts:
            done = self.root.run("/bin/sh", "-ec", f"cd /opt/door && {script}", user=user)
        print(f"{person}: {time.monotonic() - started:.1f} s", flush=True)
        return done.stdout

    def test_the_analyst_gets_the_rejected_orders_in_two_commands(self):
        printed = self.door("analyst", ("65534", """
            tar xf nexusfix-*-linux-x86_64.tar.xz
            nexusfix-*/bin/nexusfix grep 'OrdStatus=REJECTED' --fields ClOrdID,Symbol,Text \\
              --table today.log"""))
        self.assertEqual(printed.split(), "ClOrdID Symbol Text A2 BMW market closed".split())

    def test_the_tester_gets_an_answer(self):
        printed = self.door("tester", ("65534", """
            tar xf nexusfix-*-linux-x86_64.tar.xz
            PATH=$PWD/$(echo nexusfix-*/bin):$PATH
            nexusfix serve venue.cfg >venue.out 2>venue.err &
            until [ -s venue.out ]; do sleep 0.1; done
            nexusfix connect client.cfg --script order.txt
            kill $!"""))
        self.assertRegex(printed, "35=8|ExecutionReport")

    def test_the_developer_gets_a_trader_that_trades(self):
        printed = self.door("developer", ("0", """
            apt-get install -y --no-install-recommends g++ cmake make
            cd /packages
            apt-get install -y --no-install-recommends ./libnexusfix0_*.deb \\
              ./libnexusfix-dev_*.deb ./nexusfix_*_amd64.deb"""), ("65534", """
            cp /usr/share/doc/libnexusfix-dev/examples/02_initiator.cpp trader.cpp
            cmake -B build
            cmake --build build
            nexusfix serve venue.cfg >venue.out 2>venue.err &
            until [ -s venue.out ]; do sleep 0.1; done
            build/trader client.cfg
            kill $!"""))
        self.assertTrue(printed.endswith("order O1 accepted\n"), printed)

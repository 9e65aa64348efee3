"""A simulated venue for tests of a user's view."""

import subprocess

import command_test
from command_test import WithFolder
from kit_table import KITS


class WithSimulatedVenue(WithFolder):
    def start(self, kit, *arguments):
        venue = subprocess.Popen(
            [command_test.NEXUSFIX, "serve", "--venue", kit, "--port", "0", *arguments],
            cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True)
        for close in (venue.stdout.close, venue.stderr.close, venue.wait, venue.kill):
            self.addCleanup(close)
        return venue

    def simulate(self, kit, *arguments):
        """Starts the simulated venue of a kit. Its client configurations are in self.folder/kit."""
        venue = self.start(kit, *arguments)
        first = venue.stdout.readline()
        self.assertIn("simulated", first, "" if first else venue.stderr.read())
        for _ in KITS[kit]["endpoints"]:
            self.assertIn("listening on port", venue.stdout.readline())
        return venue

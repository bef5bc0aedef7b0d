#!/usr/bin/python3
"""runner_test.py - the runner of cases must see what it is there to see."""

import pathlib
import stat
import tempfile
import unittest

from captured import Captured, Failure
from cases import Case


class Runner(unittest.TestCase):
    def check(self, command, **expected):
        """With a `reel capture` that only runs the program."""
        with tempfile.TemporaryDirectory() as folder:
            reel = pathlib.Path(folder) / "reel"
            reel.write_text('#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done\nshift\nexec "$@"\n')
            reel.chmod(reel.stat().st_mode | stat.S_IXUSR)
            return Captured(Case(command, document=False, **expected), reel, "", folder, folder).check()

    def test_a_program_that_succeeds_passes(self):
        self.check("true")

    def test_a_program_that_fails_bare_and_captured_alike_fails(self):
        with self.assertRaisesRegex(Failure, "Bare, it ended with 1, not with 0."):
            self.check("false")

    def test_a_program_that_is_meant_to_fail_passes(self):
        self.check("false", fails=1)

    def test_a_program_that_should_have_failed_fails(self):
        with self.assertRaisesRegex(Failure, "Bare, it ended with 0, not with 1."):
            self.check("true", fails=1)


if __name__ == "__main__":
    unittest.main()

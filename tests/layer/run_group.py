#!/usr/bin/python3
"""run_group.py - runs the cases of a group, one after the other; ends with 1 when one of them fails."""

import argparse
import pathlib
import sys
import traceback

from captured import Captured, Failure
from cases import GROUPS as OPENCL_GROUPS
from vulkan_cases import VULKAN_GROUPS

GROUPS = {**OPENCL_GROUPS, **VULKAN_GROUPS}


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--reel", required=True, type=pathlib.Path, help="the program under test")
    options.add_argument("--layer", required=True, type=pathlib.Path, help="the library under test")
    options.add_argument("--build", required=True, type=pathlib.Path, help="where programs and the tally layer are")
    options.add_argument("--only", help="cases with this in their title")
    options.add_argument("group", choices=GROUPS)
    given = options.parse_args()
    reel, layer, build = given.reel.resolve(), given.layer.resolve(), given.build.resolve()
    failed = []
    for case in GROUPS[given.group]:
        title = case.title or case.command
        if given.only and given.only not in title:
            continue
        try:
            found = Captured(case, reel, layer, build, build / "work" / given.group).check()
            print(f"ok      {title}: {found}", flush=True)
        except Failure as failure:
            failed.append(title)
            why = f" ({case.because})" if case.because else ""
            print(f"FAILED  {title}{why}\n{failure}", flush=True)
        except Exception:
            failed.append(title)
            print(f"FAILED  {title}: the test itself is broken.\n{traceback.format_exc()}", flush=True)
    if failed:
        print(f"{len(failed)} failed: {', '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

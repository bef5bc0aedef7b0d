#!/usr/bin/python3
"""oracle.py - random programs, bare, captured, replayed and tampered with: nothing may change, no verdict be false.

    oracle.py --reel build/release/bin/reel --programs build/release/tests/oracle --minutes 5
    oracle.py … --seed 17          one program again
"""

import argparse
import multiprocessing
import pathlib
import sys
import time
import traceback

from check import Failure, OpenclCase, OpenclChecker, OwnCase, OwnChecker, Tools, VulkanCase, VulkanChecker
from opencl_programs import Plan, Written
from order import chance_of
from own_programs import OwnPlan, OwnWritten
from vulkan_programs import VulkanPlan, VulkanWritten

# Known to fail, each with its reason; --all tries them as well.
OFF = {
    "opencl": [
        "sleep",  # order by nothing but time is a race, and told as one
    ],
    "own": [],
    "vulkan": [],
}


class Try:
    """One seed: a plan, and the two ways it is captured."""

    def __init__(self, seed, without=(), much=()):
        self.seed, self.without = seed, without
        self.plan = self.Plan(seed, without, much)

    def ways(self):
        return (True, False)

    def check(self, checkers, plan, whole):
        """Raises a Failure where something doesn't hold; keeps the program's text."""
        chance = chance_of("case", self.kind, self.seed, whole)
        written = self.Written(plan)
        case = self.Case(chance, written, whole, self.without)
        if case.captures:
            places = {min(place, len(plan.actions) - 1): what for place, what in sorted(case.captures.items())}
            written = self.Written(plan, places)
        self.text = f"# seed {self.seed}, captured with: {' '.join(case.words)}\n{written.text}"
        checkers[self.kind].check(written, case)


class OpenclTry(Try):
    kind, Plan, Written, Case = "opencl", Plan, Written, OpenclCase


class OwnTry(Try):
    kind, Plan, Written, Case = "own", OwnPlan, OwnWritten, OwnCase


class VulkanTry(Try):
    kind, Plan, Written, Case = "vulkan", VulkanPlan, VulkanWritten, VulkanCase


TRIES = {"opencl": OpenclTry, "own": OwnTry, "vulkan": VulkanTry}
CHECKERS = {"opencl": OpenclChecker, "own": OwnChecker, "vulkan": VulkanChecker}


def fails_alike(checkers, one, plan, whole, kind, times):
    for _ in range(times):
        try:
            one.check(checkers, plan, whole)
        except Failure as failure:
            if failure.kind == kind:
                return failure
        except Exception:
            return None
    return None


def shrink(checkers, one, whole, failure, seconds):
    """The smallest plan found that fails alike; what fails now and then is tried several times."""
    until = time.monotonic() + seconds
    best, said = one.plan, failure
    if best.threads > 1:
        single = best.with_actions(best.actions, threads=1)
        found = fails_alike(checkers, one, single, whole, failure.kind, 3)
        if found:
            best, said = single, found
    size = max(1, len(best.actions) // 2)
    while time.monotonic() < until:
        smaller = None
        for start in range(0, len(best.actions), size):
            if time.monotonic() > until:
                break
            candidate = best.with_actions(best.actions[:start] + best.actions[start + size :])
            found = fails_alike(checkers, one, candidate, whole, failure.kind, 3)
            if found:
                smaller, said = candidate, found
                break
        if smaller:
            best = smaller
            size = min(size, max(1, len(best.actions) // 2))
        elif size == 1:
            break
        else:
            size //= 2
    fails_alike(checkers, one, best, whole, failure.kind, 3)  # the text of it
    return best, said


def kept_programs(given):
    """Programs that failed once, each with how it is captured and what must come of its replay."""
    tools, failed = Tools(given.reel, given.programs), 0
    checkers = {kind: one(tools, given.work / "kept" / kind) for kind, one in CHECKERS.items()}
    for path in sorted((pathlib.Path(__file__).parent / "programs").glob("*.txt")):
        try:
            checkers[path.name.split("-")[0]].check_kept(path)
            print(f"held    {path.stem}", flush=True)
        except Failure as failure:
            failed += 1
            print(f"FAILED  {path.stem}: {failure.kind}\n{failure}", flush=True)
    return 1 if failed else 0


def work(number, given, seeds, results):
    """One worker: takes seeds until there are no more."""
    tools = Tools(given.reel, given.programs)
    folder = given.work / f"worker{number}"
    checkers = {kind: one(tools, folder / kind) for kind, one in CHECKERS.items()}
    for seed in iter(seeds.get, None):
        kind = given.only or ("opencl", "own", "vulkan")[seed % 3]
        off = [] if given.all else [one for one in OFF[kind] if one not in given.much]
        without = given.without + off
        one, checker = TRIES[kind](seed, without, given.much), checkers[kind]
        for whole in one.ways():
            try:
                one.check(checkers, one.plan, whole)
            except Failure as failure:
                text = one.text
                if given.shrink:
                    _, failure = shrink(checkers, one, whole, failure, given.shrink)
                    text = one.text
                results.put(("failed", seed, one.kind, failure.kind, str(failure), text))
                if given.minutes is None:
                    break
            except Exception:
                results.put(("failed", seed, one.kind, "broken", traceback.format_exc(), ""))
        checker.count("programs", one.kind)
        results.put(("done", checker.counts))
        checker.counts = {}
    results.put(("over",))


def table(counts, failures, seconds):
    print(f"\n{'WHAT':<44}{'TIMES':>8}")
    for what, times in sorted(counts.items()):
        print(f"{' '.join(what):<44}{times:>8}")
    kinds = {}
    for failure in failures:
        kinds[failure[3]] = kinds.get(failure[3], 0) + 1
    print(f"{'failures':<44}{len(failures):>8}   " + ", ".join(f"{k} {v}" for k, v in sorted(kinds.items())))
    print(f"{'seconds':<44}{seconds:>8.0f}")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--reel", required=True, type=pathlib.Path, help="the program under test")
    options.add_argument("--programs", required=True, type=pathlib.Path, help="where oracle_opencl is")
    options.add_argument("--work", default=pathlib.Path("oracle_work"), type=pathlib.Path, help="folder for documents and failures")
    options.add_argument("--minutes", type=float, help="go on so long")
    options.add_argument("--seed", type=int, default=1, help="the first seed")
    options.add_argument("--count", type=int, help="at most so many seeds")
    options.add_argument("--only", choices=TRIES, help="only programs of this kind")
    options.add_argument("--workers", type=int, default=2)
    options.add_argument("--shrink", type=float, default=60, help="seconds to make a failure small; 0: don't")
    options.add_argument("--without", nargs="*", default=[], help="actions, traits and ways that are left out")
    options.add_argument("--much", nargs="*", default=[], help="of these there is much, even if they are known to fail")
    options.add_argument("--all", action="store_true", help="also what is known to fail, and so left out otherwise")
    options.add_argument("--kept", action="store_true", help="the programs that failed once, and no others")
    given = options.parse_args()
    if given.count is None and given.minutes is None:
        given.count = 1
    given.work = given.work.resolve()
    given.work.mkdir(parents=True, exist_ok=True)
    if given.kept:
        return kept_programs(given)
    seeds, results = multiprocessing.Queue(), multiprocessing.Queue()
    workers = [
        multiprocessing.Process(target=work, args=(i, given, seeds, results), daemon=True) for i in range(given.workers)
    ]
    began = time.monotonic()
    until = began + given.minutes * 60 if given.minutes else None
    next_seed, last = given.seed, given.seed + given.count if given.count else None

    def feed():
        nonlocal next_seed
        more = (not until or time.monotonic() < until) and (not last or next_seed < last)
        seeds.put(next_seed if more else None)
        next_seed += 1

    for worker in workers:
        feed()
        worker.start()
    counts, failures, over = {}, [], 0
    try:
        while over < len(workers):
            result = results.get()
            if result[0] == "over":
                over += 1
            elif result[0] == "done":
                for what, times in result[1].items():
                    counts[what] = counts.get(what, 0) + times
                feed()
            else:
                failures.append(result)
                _, seed, kind, failed, message, text = result
                place = given.work / f"failure-{kind}-{seed}-{failed}.txt"
                place.write_text(text + "".join(f"# {line}\n" for line in message.splitlines()))
                print(f"FAILED {failed}: seed {seed}, {place}\n{message[:1500]}\n", flush=True)
    except KeyboardInterrupt:
        print("Stopped; so far:")
    table(counts, failures, time.monotonic() - began)
    print(f"seeds {given.seed} to {next_seed - 1 - len(workers)}")
    # A driver fails now and then; where one run in four isn't what its model says, it is not the driver.
    tried = sum(times for what, times in counts.items() if what[0] == "programs")
    otherwise = counts.get(("driver otherwise",), 0)
    if otherwise > max(10, tried // 2):  # each program is run twice
        print(f"{otherwise} runs without Reel, of {tried} programs, were not what the model says: those tested nothing.")
        return 1
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

"""Asks all documents of a folder: which commit, host or rank took how long in which kernel.

    python3 examples/fleet/fleet.py runs/

Exports each document's commands and kernels to Parquet and asks DuckDB where it is installed (pip
install duckdb); elsewhere the same question goes to the documents themselves. Both answer the same.
"""

import os
import sys
import tempfile

import reel

QUESTION = """
select c.fact_commit as run, k.name as kernel, count(*) as runs, sum(c.run_ns) as total_ns
from {commands} c join {kernels} k on k.document = c.document and k.id = c.kernel
group by 1, 2 order by total_ns desc, run, kernel limit 10
"""


def ask_duckdb(traces: reel.Traces) -> list[tuple]:
    import duckdb

    with tempfile.TemporaryDirectory() as folder:
        for number, trace in enumerate(traces):
            reel.export(trace, "parquet", os.path.join(folder, str(number)))
        tables = {
            name: f"read_parquet('{folder}/*/{name}.parquet', union_by_name = true)"
            for name in ("commands", "kernels")
        }
        return duckdb.sql(QUESTION.format(**tables)).fetchall()


def ask_documents(traces: reel.Traces) -> list[tuple]:
    columns = traces.sql(QUESTION.format(commands="commands", kernels="kernels"))
    return list(zip(*columns.values()))


def main() -> None:
    traces = reel.load_many(sys.argv[1] if len(sys.argv) > 1 else ".")
    try:
        rows = ask_duckdb(traces)
    except ModuleNotFoundError:
        rows = ask_documents(traces)
    print(f"{len(traces)} documents")
    for run, kernel, runs, total_ns in rows:
        print(f"{run}  {kernel:<20}  {runs:>6} runs  {total_ns / 1e6:10.3f} ms")


if __name__ == "__main__":
    main()

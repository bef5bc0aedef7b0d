"""run_python.py <document> - every ```python block of a document runs, one after the other in one
namespace and in an empty folder; where a block is followed by one without a language, that is what
it prints."""

import contextlib
import io
import os
import re
import sys
import tempfile

document = os.path.abspath(sys.argv[1])
with open(document, encoding="utf-8") as file:
    text = file.read()
blocks = re.findall(r"^```python\n(.*?)^```\n(?:\n```\n(.*?)^```\n)?", text, re.DOTALL | re.MULTILINE)
if not blocks:
    sys.exit(f"{document} has no Python to run.")

names: dict[str, object] = {"__name__": "__main__"}
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    for number, (code, expected) in enumerate(blocks, start=1):
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            exec(compile(code, f"{document}, block {number}", "exec"), names)
        # "…" stands for what differs from one machine to the next.
        pattern = ".*".join(map(re.escape, expected.split("…")))
        if expected and not re.fullmatch(pattern, said.getvalue(), re.DOTALL):
            sys.exit(f"{document}: block {number} is said to print\n{expected}\nbut prints\n{said.getvalue()}")
    os.chdir("/")

"""python_reference.py <page> - the reference of the Python package, from its docstrings and the types it declares.

Every public class and function, and every public method and property of these, must have a docstring, or a comment behind its field where a
class is plain data; what has none ends this with 1.
"""

import ast
import enum
import inspect
import os
import re
import sys
import textwrap

import reel

PACKAGE = os.path.dirname(reel.__file__)
missing = []


def sources():
    for name in sorted(os.listdir(PACKAGE)):
        if name.endswith((".py", ".pyi")):
            with open(os.path.join(PACKAGE, name), encoding="utf-8") as file:
                yield file.read()


def declared():
    """By name ("Stream.copy"): the signature as it is declared, and the comment behind a field."""
    signatures, comments = {}, {}
    for text in sources():
        lines = text.split("\n")

        def take(node, prefix):
            if isinstance(node, ast.ClassDef):
                for inner in node.body:
                    take(inner, node.name + ".")
            elif isinstance(node, ast.FunctionDef):
                arguments = re.sub(r"^self(, )?", "", ast.unparse(node.args))
                returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
                signatures.setdefault(prefix + node.name, f"({arguments}){returns}")
            elif isinstance(node, ast.AnnAssign) and prefix and isinstance(node.target, ast.Name):
                comment = re.search(r"  # (.*)$", lines[node.end_lineno - 1])
                signatures.setdefault(prefix + node.target.id, f": {ast.unparse(node.annotation)}")
                if comment:
                    comments[prefix + node.target.id] = comment[1]

        for node in ast.parse(text).body:
            take(node, "")
    return signatures, comments


def words(thing, name, comments):
    text = inspect.getdoc(thing) if not isinstance(thing, (str, int, float, tuple, type(None))) else None
    text = re.sub(r"^\w+\(.*\) -> .*\n+", "", text or "")  # pybind11 begins with a signature of its own
    return with_fences(text.strip()) or comments.get(name, "")


def with_fences(text):
    """Lines of a session (>>>) as a block of code."""
    return re.sub(r"(?:^(?:>>>|\.\.\.) .*\n?)(?:^\S.*\n?)*", lambda block: f"```python\n{block[0].rstrip()}\n```\n", text, flags=re.MULTILINE).strip()


def entry(out, name, thing, signatures, comments, is_plain):
    text = words(thing, name, comments)
    if not text and not is_plain:
        missing.append(name)
    short, signature = name.split(".")[-1], signatures.get(name, "")
    if isinstance(thing, property):
        signature = re.sub(r"^\(\) -> ", ": ", signature)
    signature = re.sub(r"Field\[(.*)\]$", r"\1", signature)
    text = textwrap.indent(text, "    ").strip()
    out.append(f"- `{short}{signature}`" + (f"  \n    {text}" if text else "") + "\n")


def main():
    signatures, comments = declared()

    def explained(name, thing):
        text = words(thing, name, comments)
        if not text:
            missing.append(name)
        return text

    out = ["# Python reference\n", "Every public name of the package `reel`, with its docstring. [python.md](python.md) is the guide.\n"]
    public = {name: getattr(reel, name) for name in reel.__all__ if not name.startswith("_")}
    functions = {name: thing for name, thing in public.items() if callable(thing) and not inspect.isclass(thing)}
    classes = {name: thing for name, thing in public.items() if inspect.isclass(thing)}
    out.append("## Functions\n")
    for name, thing in sorted(functions.items()):
        out.append(f"### {name}\n\n```python\n{name}{signatures.get(name, '()')}\n```\n\n{explained(name, thing)}\n")
    out.append("## Classes\n")
    for name, thing in sorted(classes.items()):
        out.append(f"### {name}\n\n{explained(name, thing)}\n")
        plain = getattr(thing, "__dataclass_fields__", {})  # a field's name and type say what it is
        if issubclass(thing, enum.Enum):
            out.append(", ".join(f"`{member.name}`" for member in thing) + "\n")
            continue
        members = dict.fromkeys(list(plain) + [member for member in vars(thing) if not member.startswith("_")])
        for member in members:
            entry(out, f"{name}.{member}", vars(thing).get(member), signatures, comments, member in plain)
        out.append("")
    for name in missing:
        print(f"reel.{name} has no docstring", file=sys.stderr)
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        file.write("\n".join(out))
    print(f"{len(public)} public names of Python, {len(missing)} not explained")
    sys.exit(1 if missing else 0)


main()

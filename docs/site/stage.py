"""stage.py <repository> <folder> - the pages of the site: docs/, and what of the root belongs to them.

Links between pages stay links. What points at a source file of the repository, which the site doesn't have, becomes its path as
code. A link to a page or heading that isn't there ends this with 1.
"""

import os
import re
import shutil
import sys

repository, folder = map(os.path.abspath, sys.argv[1:3])
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")
FROM_ROOT = {"README.md": "index.md", "CONTRIBUTING.md": "CONTRIBUTING.md", "CHANGELOG.md": "CHANGELOG.md"}


def page_of(path):
    """Where a file of the repository is in the site; None where it isn't."""
    name = os.path.relpath(path, repository)
    if name in FROM_ROOT:
        return FROM_ROOT[name]
    if name.startswith("docs/") and not name.startswith("docs/site/") and os.path.isfile(path):
        return name[len("docs/"):]
    return None


def anchors(path):
    """The headings of a page, as links name them."""
    found, fenced = set(), False
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.startswith("```"):
                fenced = not fenced
            elif not fenced and line.startswith("#"):
                words = re.sub(r"[^\w\s-]", "", line.lstrip("#").strip().lower())
                found.add(re.sub(r"\s", "-", words))
    return found


def rewrite(text, source, problems):
    here = os.path.dirname(page_of(source))

    def link(match):
        image, label, target = match.groups()
        if "://" in target:
            return match.group(0)
        path, _, anchor = target.partition("#")
        absolute = os.path.normpath(os.path.join(os.path.dirname(source), path)) if path else source
        if not os.path.exists(absolute):
            problems.append(f"{source}: no file '{target}'")
        elif anchor and absolute.endswith(".md") and anchor not in anchors(absolute):
            problems.append(f"{source}: no heading '{target}'")
        page = page_of(absolute)
        if page is None:
            return f"{label}" if "`" in label else f"`{os.path.relpath(absolute, repository)}`"
        return f"{image}[{label}]({os.path.relpath(page, here or '.')}{'#' + anchor if anchor else ''})"

    parts = re.split(r"(^```.*?^```$)", text, flags=re.DOTALL | re.MULTILINE)
    return "".join(part if part.startswith("```") else LINK.sub(link, part) for part in parts)


def main():
    shutil.rmtree(folder, ignore_errors=True)
    problems = []
    sources = [os.path.join(repository, name) for name in FROM_ROOT]
    for root, _, names in os.walk(os.path.join(repository, "docs")):
        sources += [os.path.join(root, name) for name in names if page_of(os.path.join(root, name))]
    for source in sources:
        target = os.path.join(folder, page_of(source))
        os.makedirs(os.path.dirname(target), exist_ok=True)
        if source.endswith(".md"):
            with open(source, encoding="utf-8") as file:
                text = file.read()
            with open(target, "w", encoding="utf-8") as file:
                file.write(rewrite(text, source, problems))
        else:
            shutil.copy(source, target)
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"{len(sources)} pages and files")
    sys.exit(1 if problems else 0)


main()

"""search_index.py - a hook of mkdocs: the search index once more as a script, which pages from a folder can load."""

import os


def on_post_build(config):
    folder = os.path.join(config["site_dir"], "search")
    with open(os.path.join(folder, "search_index.json"), encoding="utf-8") as file:
        index = file.read()
    with open(os.path.join(folder, "search_index.js"), "w", encoding="utf-8") as file:
        file.write(f"var __search = {{ index: Promise.resolve({index}) }};\n")

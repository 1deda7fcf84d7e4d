#!/usr/bin/env python3
"""Make the site: the README, the pages of docs/ and the header, by MkDocs, where a warning is an error.

usage: site.py FOLDER     writes FOLDER/site; FOLDER/pages is what MkDocs reads
"""
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CONFIG = """site_name: argmax_cl
docs_dir: pages
site_dir: site
use_directory_urls: false
theme:
  name: mkdocs
  highlightjs: false
nav:
  - argmax_cl: index.md
  - Use:
      - From C, the interface: interface.md
      - From C++: cpp.md
      - From Fortran: fortran.md
      - From Python: python.md
      - On files, argmax-cl: cli.md
      - What your call is here: from.md
      - Troubleshooting: troubleshooting.md
      - What it computes: semantics.md
      - Tensors in pieces: partials.md
      - Tuning: tuning.md
      - Tuning fields: tuning-fields.md
      - Benchmarks: benchmarks.md
      - Reliability: reliability.md
  - Package:
      - Portability: portability.md
      - Quirks: quirks.md
  - Contribute:
      - Design: design.md
      - Decisions: decisions/README.md
      - Extending: extending.md
"""
HEADER = "include/argmax_cl/argmax_cl.h"


def page_text(source):
    """Links between pages stay; of those to other files, which the site lacks, the text stays."""

    def link(match):
        text, target = match.groups()
        path, _, anchor = target.partition("#")
        if not path or "://" in path:
            return match.group(0)
        file = (source.parent / path).resolve()
        if file == ROOT / HEADER:
            path = "interface.md"
        elif file.is_relative_to(ROOT / "docs") and file.is_file():
            path = str(file.relative_to(ROOT / "docs")) if source.parent == ROOT else path
        else:
            return text
        return f"[{text}]({path}{'#' + anchor if anchor else ''})"

    return re.sub(r"\[([^\]]*)\]\(([^)\s]+)\)", link, source.read_text())


def main():
    folder = Path(sys.argv[1])
    pages = folder / "pages"
    shutil.rmtree(pages, ignore_errors=True)
    shutil.copytree(ROOT / "docs", pages, ignore=shutil.ignore_patterns("*.md", "*.py", "*.cmake"))
    for source in (ROOT / "docs").rglob("*.md"):
        (pages / source.relative_to(ROOT / "docs")).write_text(page_text(source))
    (pages / "index.md").write_text(page_text(ROOT / "README.md"))
    header = (ROOT / HEADER).read_text()
    (pages / "interface.md").write_text(f"# argmax_cl.h\n\nIts comments are the manual.\n\n```c\n{header}```\n")
    (folder / "mkdocs.yml").write_text(CONFIG)
    return subprocess.run(["mkdocs", "build", "--strict", "--quiet", "-f", folder / "mkdocs.yml"], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes docs/flags.md from the flags' declarations.

python docs/flags.py            # write it
python docs/flags.py --check    # exit 1 if it is not what would be written
"""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path

from pyfusion.config import FLAGS

HEAD = """\
<!-- Written by docs/flags.py from pyfusion/config.py. -->

# Flags

A flag is read once, when pyfusion is imported, from the environment variable `PYFUSION_` and its
name in capitals, and is an attribute of `pyfusion.config` from then on. `pf.config.scope(...)` sets
flags for a `with` block, in all threads; of several blocks that are open the one entered last
holds.

```python
with pf.config.scope(mode="single", debug=1):
    ...
```

`print(pf.config)` shows them all.
"""


def text() -> str:
    """The page."""
    parts = [HEAD]
    for name, flag in FLAGS.items():
        default = repr(flag.default) if flag.default != "" else "empty"
        kind = type(flag.default).__name__
        parts.append(f"## `{name}`\n\n`PYFUSION_{name.upper()}`, {kind}, default {default}.\n")
        parts.append(textwrap.fill(flag.doc, 100, break_on_hyphens=False) + "\n")
    return "\n".join(parts)


def main() -> int:
    page = Path(__file__).with_name("flags.md")
    if "--check" in sys.argv[1:]:
        if page.read_text() == text():
            return 0
        print(f"{page.name} is old; run python docs/flags.py")
        return 1
    page.write_text(text())
    return 0


if __name__ == "__main__":
    sys.exit(main())

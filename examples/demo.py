# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the examples one after the other; `make demo` calls it.

python examples/demo.py
"""

import black_scholes
import logistic_regression
import photo


def main() -> None:
    for example in (photo, black_scholes, logistic_regression):
        example.main()
        print()


if __name__ == "__main__":
    main()

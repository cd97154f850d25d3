# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the table of operations from their declarations; the build runs this.

    ops_table.py TBLGEN_DUMP OUTPUT

The dump is `llvm-tblgen --dump-json` of FusionOps.td. The output is a JSON object whose "ops" has
one row for each operation, by name: its kind and cost, the NumPy function of the same meaning, a
summary, operands with the element types that each takes (null: any), attributes, results.
"""

import json
import sys
from pathlib import Path
from typing import Any

Records = dict[str, Any]


def _members(records: Records, name: str, class_name: str) -> bool:
    return class_name in records[name]["!superclasses"]


def _element_types(records: Records, constraint: str) -> list[str] | None:
    record = records[constraint]
    if _members(records, constraint, "Variadic"):
        return _element_types(records, record["baseType"]["def"])
    if "fusionElements" in record:
        return [element["def"].lower() for element in record["fusionElements"]]
    return ["index"] if constraint == "Index" else None


def _row(records: Records, record: dict[str, Any]) -> dict[str, Any]:
    arguments = [(name, value["def"]) for value, name in record["arguments"]["args"]]
    operands = [a for a in arguments if _members(records, a[1], "TypeConstraint")]
    traits = {trait["def"] for trait in record["traits"]}
    return {
        "kind": record["fusionKind"],
        "cost": record["fusionCost"],
        "numpy": record["fusionNumpy"],
        "summary": record["summary"],
        "operands": [name for name, _ in operands],
        "element_types": [_element_types(records, constraint) for _, constraint in operands],
        "variadic": any(_members(records, constraint, "Variadic") for _, constraint in operands),
        "attributes": [name for name, _ in arguments if name not in dict(operands)],
        "results": len(record["results"]["args"]),
        "commutative": "Commutative" in traits,
    }


def table(records: Records) -> dict[str, Any]:
    """The rows by name of the operation."""
    ops = (records[name] for name in records["!instanceof"]["Fusion_Op"])
    return {op["opName"]: _row(records, op) for op in ops}


def main() -> None:
    dump, output = map(Path, sys.argv[1:])
    rows = table(json.loads(dump.read_text()))
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(row)}" for name, row in rows.items())
    output.write_text(f'{{"ops": {{\n{lines}\n}}}}\n')


if __name__ == "__main__":
    main()

"""List the packages installed in a folder as a bill of materials in CycloneDX.

python scripts/sbom.py FOLDER        e.g. /opt/oracle/lib/python3.11/site-packages of the image
"""

import argparse
import json
import re
from email.message import Message
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import Any, Final

ITSELF: Final = "position-oracle"


def main() -> None:
    """Print the list for the folder of the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folder", type=Path, help="where packages are installed")
    folder = parser.parse_args().folder
    if not folder.is_dir():
        parser.error(f"not a folder: {folder}")
    print(json.dumps(bill(str(folder)), indent=1))


def bill(folder: str) -> dict[str, Any]:
    """Return the packages of a folder: names, versions and licences."""
    found = {normal(each.name): each for each in distributions(path=[folder])}
    components = {name: component(name, each) for name, each in sorted(found.items())}
    itself = components.pop(ITSELF, None)
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {} if itself is None else {"component": itself | {"type": "application"}},
        "components": list(components.values()),
    }


def normal(name: str) -> str:
    """Return the name of a package as the index writes it (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def component(name: str, found: Distribution) -> dict[str, Any]:
    """Return the entry of a package."""
    address = f"pkg:pypi/{name}@{found.version}"
    listed = {"type": "library", "bom-ref": address, "name": name, "version": found.version}
    licence = licence_of(found.metadata)  # type: ignore[arg-type] # an email message
    return listed | {"purl": address} | ({"licenses": [licence]} if licence else {})


def licence_of(metadata: Message) -> dict[str, Any] | None:
    """Return the licence that a package names, as an SPDX expression if it has one."""
    if expression := metadata.get("License-Expression"):
        return {"expression": expression}
    classifiers = metadata.get_all("Classifier") or []
    names = [each.rpartition(" :: ")[2] for each in classifiers if each.startswith("License ::")]
    name = " and ".join(names) or metadata.get("License", "").partition("\n")[0]
    return {"license": {"name": name}} if name else None


if __name__ == "__main__":
    main()

"""The snippets of the README and of the documentation, as they stand there."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

# `test_relay.py` makes the same calls, to a destination that exists.
NOT_RUN = "https://api.example.com/charges"
PAGES = [Path(path) for path in os.environ["SEALWAY_PAGES"].split(os.pathsep)]
SHOWN = [
    "ev:debug:",
    "'Ada Lovelace'",
    "card-number",
    "['4242424242424242', 7, True]",
    "From the README",
    "True",
    "b'import os'",
    "relay.error",
    "invalid-request 400 /slug",
]


def check_types(*programs: Path) -> str:
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", os.environ["MYPY_CACHE_DIR"]]
    checked = subprocess.run([*command, *programs], capture_output=True, text=True, check=False)  # noqa: S603
    return checked.stdout


def test_the_snippets_of_pages_run_print_what_they_say_and_have_right_types(tmp_path: Path) -> None:
    text = "\n".join(page.read_text() for page in PAGES)
    snippets = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    programs: list[Path] = []
    for snippet in snippets:
        if NOT_RUN not in snippet:
            programs.append(tmp_path / f"example_{len(programs)}.py")
            programs[-1].write_text(snippet)
    printed = ""
    for program in programs:
        ran = subprocess.run([sys.executable, "-W", "error", program], capture_output=True, text=True, check=False)  # noqa: S603
        assert ran.returncode == 0, ran.stderr
        printed += ran.stdout
    assert [shown for shown in SHOWN if shown not in printed] == []
    assert len(programs) >= 6
    assert check_types(*programs).startswith("Success")


WRONG = """
from sealway import AsyncSealway, Sealway

sealway = Sealway(app_id="a", api_key="b", base_url="https://api.example.com")
sealway.api.create_data_role(body={"slug": "a"})
sealway.api.get_data_role()
sealway.api.create_app(body={"name": "a", "environment": "sandbox"})
age: int = sealway.encrypt(36)
sealway.encrypt(b"a", "pci")
Sealway(app_id="a", base_url="")
sealway.api.list_data_roles(limit="5")
async def run(other: AsyncSealway) -> None:
    name: int = (await other.api.get_data_role(role_id="a"))["name"]
    other.api.get_data_role(role_id="a")["name"]
    for role in other.api.list_data_roles():
        pass
"""


def test_the_types_refuse_wrong_arguments(tmp_path: Path) -> None:
    program = tmp_path / "wrong.py"
    program.write_text(WRONG)
    lines = re.findall(r"wrong\.py:(\d+): error", check_types(program))
    assert sorted({int(line) for line in lines}) == [5, 6, 7, 8, 9, 10, 11, 13, 14, 15]

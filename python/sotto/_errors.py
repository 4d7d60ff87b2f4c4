"""Errors of sotto as Python exceptions: the same name, place and fix as the program's."""

from __future__ import annotations

from typing import Sequence


class Error(Exception):
    """What is wrong, where, and what would be right; docs/errors.md lists them by name.

    >>> import sotto
    >>> try:
    ...     sotto.Study.from_text("[study]\\nname = 3")
    ... except sotto.BadInput as error:
    ...     print(error.name, error.status)
    E-study-value 2
    """

    status = 1  # the exit status that the program would have

    def __init__(self, name: str, what: str, where: str = "", fix: str = "",
                 others: Sequence["Error"] = (), unlisted: int = 0) -> None:
        super().__init__(name, what, where, fix, tuple(others), unlisted)
        self.name = name
        self.what = what
        self.where = where
        self.fix = fix
        self.others = tuple(others)  # where one look has found several: those that follow
        self.unlisted = unlisted     # and how many more there are

    def __str__(self) -> str:
        text = f"[{self.name}]: " + "; ".join(
            part for part in (self.what, self.where, self.fix) if part)
        for other in self.others:
            text += f"\n{other}"
        if self.unlisted:
            text += f"\nand {self.unlisted} more"
        return text


class Failed(Error):
    """Something outside went wrong: a file, a peer, the machine."""

    status = 1


class BadInput(Error, ValueError):
    """What was written cannot be done."""

    status = 2


class Refused(Error):
    """It could be done, and would break the privacy that was asked for."""

    status = 3


def of_status(status: int, *fields: object) -> Error:
    """The exception for an error of the compiled half."""
    return {1: Failed, 2: BadInput, 3: Refused}[status](*fields)  # type: ignore[arg-type]

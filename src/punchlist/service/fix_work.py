"""Apply and take back in a thread of their own, so that the one who asked can wait, look, call off, or come again."""

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Generic, TypeVar

from punchlist.editing.alone import alone
from punchlist.model import Trouble
from punchlist.service.fix_verify import Applied
from punchlist.service.fix_watch import Watch
from punchlist.service.fixing import transactions
from punchlist.service.session import Session

_NAMED_S = 2.0
T = TypeVar("T")


class Doing(Generic[T]):
    """Something done in a thread of its own for a transaction."""

    def __init__(self, session: Session, name: str, act: Callable[[Watch], T]) -> None:
        self.session, self.name = session, name
        self.watch = Watch()
        self.found: T | None = None
        self.trouble: BaseException | None = None
        self._act = act
        self._done = threading.Event()
        threading.Thread(target=self._make, name=name, daemon=True).start()

    def wait(self, seconds: float) -> bool:
        """Wait at most so long and return whether it is over."""
        return self._done.wait(seconds)

    def so_far(self) -> str:
        """Return one line on how far it is."""
        live = self.session.lives.by_id.get(self.watch.run_id)
        said = f" · {self.watch.run_id}: {live.so_far()}" if live is not None else ""
        return f"{self.name}: {self.watch.stage}{said}"

    def withdraw(self) -> None:
        """Call it off, where it is not too late."""
        self.watch.call_off()

    def result(self) -> T:
        """Return what came of it; its trouble is raised."""
        if self.trouble is not None:
            raise self.trouble
        assert self.found is not None
        return self.found

    def _make(self) -> None:
        try:
            self.found = self._act(self.watch)
            self._note(self.found)
        except BaseException as trouble:  # noqa: BLE001  raised again where the result is asked for
            self.trouble = trouble
        finally:
            self._done.set()

    def _note(self, found: T) -> None:
        """Keep with the transaction what a caller who did not wait for it should know."""
        said = self.outcome(found)
        if not said:
            return
        kept = transactions(self.session.project)
        with suppress(Trouble, OSError), alone(kept.folder / "lock", _NAMED_S):
            kept.note(kept.get(self.name), said)

    def outcome(self, found: T) -> str:
        """Return what came of it in one line, "" for nothing to remember."""
        raise NotImplementedError


class Prediction(Doing[list[str]]):
    """What the engines would say of a preview."""

    def __init__(self, session: Session, name: str) -> None:
        from punchlist.service.fix_predict import predicted

        kept = transactions(session.project)
        one = kept.get(name)
        changes = kept.changes(one)
        super().__init__(session, name, lambda watch: predicted(session.project, one, changes, watch))

    def outcome(self, found: list[str]) -> str:
        """Return the lines that were said."""
        return "; ".join(found)


class Work(Doing[Applied]):
    """A change that is being made or taken back.

    `kind` tells which, with all that decides how (two calls of one kind want the same).
    """

    def __init__(self, session: Session, name: str, kind: object, act: Callable[[Watch], Applied]) -> None:
        self.kind = kind
        super().__init__(session, name, act)

    def stands(self) -> bool:
        """Whether it came to something that is still so."""
        now = transactions(self.session.project).find(self.name)
        return self.found is not None and now is not None and now.state == self.found.transaction.state

    def withdraw(self) -> None:
        """Call it off: nothing is written, or, where that has begun, it is made to its end."""
        if self.watch.call_off():
            _forget(self)

    def result(self) -> Applied:
        """Return what became of it; its trouble is raised."""
        _forget(self)
        return super().result()

    def outcome(self, found: Applied) -> str:
        """Return what a check says of a change, "" where none was made."""
        if found.message:
            return found.message
        if found.unverified:
            return f"not verified: {found.unverified}"
        if found.check is None:
            return ""
        return f"{found.check.id}: {found.delta.line() if found.delta is not None else found.check.outcome}"


_under_way: dict[str, Work] = {}
_lock = threading.Lock()


def work(session: Session, name: str, kind: object, act: Callable[[Watch], Applied]) -> Work:
    """Begin a change, or join the same one that goes on, or whose end nobody was told yet.

    Another one of this transaction that goes on is a Trouble (`busy`).
    """
    with _lock:
        there = _under_way.get(name)
        if there is not None and there.session is session:
            goes_on = not there.wait(0)
            if there.kind == kind and (goes_on or there.stands()):
                return there
            if goes_on:
                raise Trouble(f"{there.so_far()}; wait for that first", "busy")
        _under_way[name] = Work(session, name, kind, act)
        return _under_way[name]


def _forget(one: Work) -> None:
    with _lock:
        if _under_way.get(one.name) is one:
            del _under_way[one.name]

# A checker of recorded histories: whether all that clients saw fits one order of the operations that time allows.
#
# The search of Wing and Gong with the memory of Lowe: operations are put one after another into an order that respects real
# time (what returned before another began comes first), and a model says what each may have answered there. What can
# change nothing (a read, a refusal) goes in as soon as it fits, for nothing is lost by that; only the rest branches.

import math
from dataclasses import dataclass, field

OK, REFUSED, UNKNOWN = "ok", "refused", "unknown"


@dataclass(slots=True)
class Operation:
    """What one client asked and heard. Times are of one clock. `value` is what an `ok` answer showed, `code` what a refusal
    said, `because` what more it said; `version` is that of the value, `request` the id under which the log has the operation,
    where either is known. An operation of unknown outcome has happened at some time after its beginning, or never."""
    name: str
    begun: float
    ended: float = math.inf
    outcome: str = UNKNOWN
    arguments: dict = field(default_factory=dict)
    value: object = None
    code: str = ""
    because: object = None
    credential: str = ""
    version: int = 0
    request: str = ""
    place: float = math.inf  # where to look for it first: what has a lower one probably came before

    def __str__(self):
        end = "…" if self.ended == math.inf else f"{self.ended:.4f}"
        what = {OK: f"ok {self.value}", REFUSED: f"{self.code} {self.because or ''}", UNKNOWN: "?"}[self.outcome]
        return f"[{self.begun:.4f} {end}] {self.credential} {self.name} {self.arguments} -> {what}"


class TooHard(Exception):
    """The search was given up: the history is neither proven nor refuted."""


@dataclass
class Verdict:
    """Whether the history is fine; where it is not, the operations of the longest order that was found, and those of which
    none could come next; where the search was given up, why."""
    fine: bool
    order: list = field(default_factory=list)
    stuck: list = field(default_factory=list)
    undecided: str = ""

    def __str__(self):
        if self.fine:
            return "linearizable"
        if self.undecided:
            return f"undecided: {self.undecided}"
        lines = [f"not linearizable: {len(self.order)} operations fit, none of these can follow"]
        return "\n".join([*lines, *(f"    {op}" for op in self.stuck), "  after", *(f"    {op}" for op in self.order[-8:])])


class _Entry:
    """A place of the search: the state there, what is in the order (all before `first` but the unknown ones of `open`, and
    what `done` names), and what remains to be tried as the next one."""
    __slots__ = ("state", "first", "done", "open", "length", "choices")

    def __init__(self, state, first=0, done=frozenset(), open=()):
        self.state, self.first, self.done, self.open = state, first, done, open
        self.length, self.choices = 0, None


MOST_STEPS = 2_000_000


def check(operations, model, most_steps=MOST_STEPS):
    """Whether a history fits the model, which is an object with

      initial()                 the state before anything happened; states can be hashed
      step(state, operation)    the state after an operation that answered what it did, None when it can't have
      free(state, operation)    whether it fits there, and is one that changes no state whatever

    Returns a Verdict; raises TooHard when the search needs more than `most_steps` steps."""
    history = sorted(operations, key=lambda op: op.begun)
    search = _Search(history, model)
    return search.run(most_steps)


class _Search:
    def __init__(self, history, model):
        self._history = history
        self._model = model
        self._order = []  # indexes, in the order that stands now
        self._best, self._stuck = [], []

    def run(self, most_steps):
        stack, seen, steps = [self._settle(self._advance(_Entry(self._model.initial())))], set(), 0
        while stack:
            entry = stack[-1]
            if entry.first == len(self._history):
                return Verdict(True)
            if entry.choices is None:
                key = (entry.first, entry.done, entry.open, entry.state)
                entry.choices = [] if key in seen else self._choices(entry)
                seen.add(key)
            if not entry.choices:
                stack.pop()
                del self._order[stack[-1].length if stack else 0:]
                continue
            steps += 1
            if steps > most_steps:
                raise TooHard(f"{len(self._history)} operations, {most_steps} steps")
            stack.append(self._settle(self._after(entry, *entry.choices.pop())))
        return Verdict(False, [self._history[i] for i in self._best], self._stuck)

    def _after(self, entry, index, state):
        """The place behind `index`."""
        self._order.append(index)
        if index < entry.first:
            return _Entry(state, entry.first, entry.done, tuple(i for i in entry.open if i != index))
        return self._advance(_Entry(state, entry.first, entry.done | {index}, entry.open))

    def _advance(self, entry):
        """Moves `first` to the next operation that is certain and not in the order."""
        while entry.first < len(self._history):
            if entry.first in entry.done:
                entry.done -= {entry.first}
            elif self._history[entry.first].outcome == UNKNOWN:
                entry.open += (entry.first,)
            else:
                break
            entry.first += 1
        return entry

    def _candidates(self, entry):
        """Indexes of what may come next: all that begun before the first end of what is not in the order yet."""
        found, horizon = list(entry.open), math.inf
        for index in range(entry.first, len(self._history)):
            op = self._history[index]
            if op.begun > horizon:
                break
            if index not in entry.done:
                found.append(index)
                horizon = min(horizon, op.ended)
        return found

    def _settle(self, entry):
        """Puts in what fits and changes nothing, as long as there is any."""
        again = True
        while again:
            again = False
            for index in self._candidates(entry):
                op = self._history[index]
                if self._model.free(entry.state, op):
                    entry = self._after(entry, index, entry.state)
                    again = True
        entry.length = len(self._order)
        return entry

    def _choices(self, entry):
        """What may come next, the best guess last: by place, and what ended first. An unknown one that would change nothing need
        not."""
        candidates = self._candidates(entry)
        if not self._stuck or len(self._order) > len(self._best):
            self._best, self._stuck = list(self._order), [self._history[i] for i in candidates]
        found = []
        for index in candidates:
            op = self._history[index]
            state = self._model.step(entry.state, op)
            if state is not None and (op.outcome != UNKNOWN or state != entry.state):
                found.append((index, state))
        found.sort(key=lambda choice: (self._history[choice[0]].place, self._history[choice[0]].ended), reverse=True)
        return found

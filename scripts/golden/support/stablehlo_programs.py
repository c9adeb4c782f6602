"""What a program is to scripts/golden/stablehlo.py, and the ways a result may differ from an oracle's."""

from dataclasses import dataclass, field

EXACT = {'kind': 'exact'}


def ulps(count, reason):
    """Each element within so many steps of its type."""
    return {'kind': 'ulps', 'ulps': count, 'reason': reason}


def scale(count, reason):
    """|difference| <= count u M with M the largest magnitude of that result, and of 1 ulp of each element at the least."""
    return {'kind': 'scale', 'ulps': count, 'reason': reason}


@dataclass
class Program:
    name: str
    function: object
    arguments: list
    # By oracle, `interpreter` and `jit`: what may differ. An oracle that is not named is not asked.
    oracles: dict = field(default_factory=lambda: {'interpreter': EXACT})
    # Kept instead of what the function lowers to.
    text: str | None = None
    wide: bool = False
    # What it is lowered for; results are those of the CPU all the same.
    platform: str = 'cpu'
    debug: bool = False

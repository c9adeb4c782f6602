"""What a generator demands of its results before it writes them."""

import numpy as np


def expect(equal, claim):
    if not np.all(equal):
        raise AssertionError(claim)


def settle(computed, kept, slack):
    """The stored float64, provided the recomputed one is within slack of it.

    The last digits of an eigenvalue, or of a library's exp, belong to the machine that computed them.
    """
    expect(abs(computed - kept) <= slack, f'{computed} is within {slack} of the stored {kept}')
    return kept

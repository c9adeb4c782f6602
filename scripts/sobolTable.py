"""Writes src/experiments/sweep/directionNumbers.ts: the Joe-Kuo direction numbers of the first dimensions, from SciPy's copy of them.

    python scripts/sobolTable.py            needs scipy==1.17.1 (scripts/golden/requirements.txt)
"""

from pathlib import Path

import numpy as np
import scipy.stats

DIMENSIONS = 64
COPY = Path(scipy.stats.__file__).with_name('_sobol_direction_numbers.npz')

with np.load(COPY) as table:
    polynomials, first = table['poly'], table['vinit']
rows = []
for polynomial, numbers in zip(polynomials[1:DIMENSIONS], first[1:DIMENSIONS]):
    degree = int(polynomial).bit_length() - 1
    assert all(m % 2 == 1 and m < 2 ** (i + 1) for i, m in enumerate(numbers[:degree]))
    rows.append([int(polynomial), *(int(m) for m in numbers[:degree])])

out = Path(__file__).parent.parent / 'src/experiments/sweep/directionNumbers.ts'
body = ''.join(f'  {row},\n' for row in rows)
out.write_text(f"""// Written by scripts/sobolTable.py from the copy in SciPy {scipy.__version__}, November 2026; {len(rows)} rows.

/**
 * Of each dimension after the first: its primitive polynomial over GF(2), as the bits of a whole number, then the first
 * direction numbers, as many as its degree. The first dimension needs none: van der Corput's sequence.
 *
 * Source    S. Joe, F. Y. Kuo, Constructing Sobol sequences with better two-dimensional projections, SIAM J. Sci. Comput. 30
 *           (2008) 2635-2654, doi:10.1137/070709359; their file new-joe-kuo-6.21201
 */
export const directionNumbers: readonly (readonly number[])[] = [
{body}]
""")

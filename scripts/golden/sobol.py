"""Regenerates the answer key of test/golden/sweep: points of Sobol's sequence by SciPy, unscrambled.

    python scripts/golden/sobol.py [FOLDER]        FOLDER is test/golden unless named

scipy.stats.qmc.Sobol(d, scramble=False). Every point is a multiple of 2^-10, which float64 holds, so the key has the
numerators: exact.
"""

import json
import sys
from pathlib import Path

import numpy as np
import scipy
from scipy.stats import qmc

POINTS = 1024
folder = Path(sys.argv[1] if len(sys.argv) > 1 else 'test/golden') / 'sweep'
folder.mkdir(parents=True, exist_ok=True)

cases = []
for dimensions, points in ((1, 1024), (2, 1024), (5, 256), (64, 128)):
    values = qmc.Sobol(dimensions, scramble=False).random(points) * POINTS
    assert (values == np.round(values)).all()
    cases.append({'dimensions': dimensions, 'points': points, 'numerators': values.astype(int).ravel().tolist()})
key = {
    'what': "points of Sobol's sequence, row-major, as multiples of 1 / denominator",
    'made_with': f'scipy {scipy.__version__}: stats.qmc.Sobol(dimensions, scramble=False).random(points)',
    'denominator': POINTS,
    'cases': cases,
}
(folder / 'sobol.json').write_text(json.dumps(key) + '\n')

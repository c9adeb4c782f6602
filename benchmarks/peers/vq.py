"""The same codes in NumPy, and in scikit-learn and faiss where they are installed, on one thread.

Usage: vq.py. Prints a JSON list of {name, ns}: nanoseconds for a multiply-add, the least of five.
"""

import json
import os
import time

for threads in ('OMP_NUM_THREADS', 'OPENBLAS_NUM_THREADS', 'MKL_NUM_THREADS'):
    os.environ[threads] = '1'

import numpy as np  # noqa: E402

N, K = 100_000, 256
found = []
draw = np.random.default_rng(0).standard_normal


def told(name, work, call):
    times = []
    for _ in range(5):
        begin = time.perf_counter_ns()
        call()
        times.append((time.perf_counter_ns() - begin) / work)
    found.append({'name': name, 'ns': min(times)})


def expanded(x, c):
    return ((c * c).sum(1) - 2 * (x @ c.T)).argmin(1)


def with_numpy():
    for d in (64, 8, 2):
        x, c = draw((N, d), np.float32), draw((K, d), np.float32)
        told(f'NumPy {np.__version__}: expanded, float32, {N} x {d}', N * K * d, lambda: expanded(x, c))


def with_scikit_learn():
    import sklearn
    from sklearn.cluster import KMeans

    x = draw((20_000, 64), np.float32)

    def fit():
        KMeans(K, init=x[:K], n_init=1, max_iter=5, tol=0, algorithm='lloyd').fit(x)

    told(f'scikit-learn {sklearn.__version__}: a step, 20000 x 64', 20_000 * K * 64 * 6, fit)


def with_faiss():
    import faiss

    faiss.omp_set_num_threads(1)
    x, c = draw((N, 64), np.float32), draw((K, 64), np.float32)
    index = faiss.IndexFlatL2(64)
    index.add(c)
    told(f'faiss {faiss.__version__}: search, {N} x 64', N * K * 64, lambda: index.search(x, 1))


with_numpy()
for library in (with_scikit_learn, with_faiss):
    try:
        library()
    except ImportError:
        pass
print(json.dumps(found))

"""Asks scikit-learn, faiss and vector-quantize-pytorch what test/golden/vq says; writes nothing, exit 1 where one differs.

    python -m pip install -r scripts/golden/vq/requirements.txt
    python scripts/golden/vq/peers.py
"""

import sys
from pathlib import Path

import faiss
import numpy as np
import torch
from sklearn.cluster import KMeans, MiniBatchKMeans
from vector_quantize_pytorch import FSQ, LFQ, ResidualVQ, VectorQuantize

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support.checks import expect  # noqa: E402
from vq import Key  # noqa: E402


def scikit_learn():
    key = Key('kmeans')
    for case in key.facts['cases']:
        n = case['name']
        if case['emptyClusters']:
            # scikit-learn moves them.
            continue
        fit = KMeans(case['k'], init=key[f'{n}_init'], n_init=1, max_iter=case['iterations'], tol=0, algorithm='lloyd')
        fit.fit(key[f'{n}_x'], sample_weight=key[f'{n}_weights'] if case['weighted'] else None)
        gap = np.abs(fit.cluster_centers_ - key[f'{n}_centroids'][-1]).max()
        expect(gap <= 1e-12 * np.abs(fit.cluster_centers_).max(), f'centroids of {n}: {gap}')
    key = Key('minibatch')
    fit = MiniBatchKMeans(key.facts['k'], init=key['init'], n_init=1, reassignment_ratio=0)
    for rows, centroids in zip(key['rows'], key['centroids']):
        fit.partial_fit(key['x'][rows])
        expect(np.abs(fit.cluster_centers_ - centroids).max() < 1e-12, 'partial_fit')
    x = np.array([[0, 0], [1, 0], [0, 1], [10, 10], [11, 10], [30, 0]], float)
    moved = KMeans(3, init=np.array([[0, 0], [10, 10], [100, 100.0]]), n_init=1, max_iter=1).fit(x)
    expect(np.abs(moved.cluster_centers_ - [[1 / 3, 1 / 3], [10.5, 10], [30, 0]]).max() < 1e-12, 'an empty code')


def faiss_codes():
    key = Key('pq')
    for case in key.facts['cases']:
        n = case['name']
        quantizer = faiss.ProductQuantizer(case['m'] * case['subDim'], case['m'], case['bits'])
        faiss.copy_array_to_vector(key[f'{n}_codebooks'].ravel().copy(), quantizer.centroids)
        expect(quantizer.compute_codes(key[f'{n}_x'].copy()) == key[f'{n}_packed'], f'bytes of {n}')


def pytorch():
    torch.manual_seed(0)
    key = Key('fsq')
    for case in key.facts['cases']:
        n = case['name']
        _, indices = FSQ(case['levels'])(torch.tensor(key[f'{n}_z'])[None])
        expect(indices.numpy().ravel() == key[f'{n}_index'], f'indices of {n}')
    for dim in (6, 10):
        quantizer = LFQ(codebook_size=2**dim, dim=dim, spherical=False)
        indices = quantizer(torch.tensor(key[f'lfq{dim}_z'])[None]).indices
        expect(indices.numpy().ravel() == key[f'lfq{dim}_index'], f'signs of {dim}')
    key = Key('rvq')
    x, books = key['x'].astype(np.float32), key['codebooks'].astype(np.float32)
    quantizer = ResidualVQ(dim=x.shape[1], codebook_size=books.shape[1], num_quantizers=len(books))
    for layer, book in zip(quantizer.layers, books):
        layer._codebook.embed.data.copy_(torch.tensor(book)[None])
    quantizer.eval()
    _, indices, _ = quantizer(torch.tensor(x)[None])
    expect(indices.numpy()[0] == key['f64_codes'], 'codes of four stages')
    key = Key('ema')
    for n, decay in (('f64_08', 0.8), ('f32_99', 0.99)):
        k, d = key['codebook0'].shape
        quantizer = VectorQuantize(dim=d, codebook_size=k, decay=decay, eps=1e-5, threshold_ema_dead_code=0)
        start = torch.tensor(key['codebook0'].astype(np.float32))[None]
        state = quantizer._codebook
        state.embed.data.copy_(start)
        state.embed_avg.data.copy_(start)
        state.cluster_size.data.fill_(1)
        quantizer.train()
        for step, x in enumerate(key['batches']):
            _, indices, _ = quantizer(torch.tensor(x.astype(np.float32))[None])
            expect(indices.numpy().ravel() == key[f'{n}_codes'][step], f'codes of {n}, step {step}')
            book = key[f'{n}_codebook'][step].astype(float)
            gap = np.abs(state.embed.numpy()[0] - book).max() / np.abs(book).max()
            expect(gap < 2e-6, f'codebook of {n}, step {step}: {gap}')


if __name__ == '__main__':
    for peer in (scikit_learn, faiss_codes, pytorch):
        peer()
        print(f'{peer.__name__}: as the keys')

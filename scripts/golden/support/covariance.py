"""Covariance of bfloat16 rows in every form, and what a covariance key says about each."""

import numpy as np

from support.checks import settle
from support.orders import q, seq


def outer_sum(rows, rounding):
    s = np.zeros((rows.shape[1],) * 2, np.float32)
    for r in rows:
        s = rounding(s + rounding(np.outer(r, r)))
    return s


def covariances(x):
    """The column means and the covariance of x [512, 64] in every form."""
    n, free = np.float32(len(x)), np.float32(len(x) - 1)
    mean = q(seq(np.ascontiguousarray(x.T))[:, -1] / n)
    mean32 = np.add.accumulate(x)[-1] / n
    whole = x.astype(np.float64) - x.astype(np.float64).mean(0)
    forms = {
        'naive_bf16': q(outer_sum(q(x - mean), q) / free),
        'bf16_values_f32_accumulate': q(outer_sum(q(x - q(mean32)), np.float32) / free),
        'f32_internal_cast': q(outer_sum(x - mean32, np.float32) / free),
        'f64': whole.T @ whole / float(free),
        'one_pass_bf16': q(q(outer_sum(x, q) / n) - q(np.outer(mean, mean))),
    }
    return mean, q(mean32), forms


def covariance_summary(c, reference, kept):
    """Spectrum and distances of one covariance; numbers from the eigensolver are settled, counts compared outright.

    A constant matrix has one eigenvalue that is not zero: how many of the others come out below zero, and how
    far, is the eigensolver's noise, and both stay as stored.
    """
    c = c.astype(np.float64)
    w = np.linalg.eigvalsh(c)
    share = np.clip(w, 0, None) / np.clip(w, 0, None).sum()
    share = share[share > 0]
    noise = len(c) * 2.0**-52 * float(w.max())
    diagonal = np.diag(c)
    off = float(((c**2).sum() - (diagonal**2).sum()) / len(c))
    error = float(np.linalg.norm(c - reference) / np.linalg.norm(reference))
    constant = bool((c == c[0, 0]).all())
    rank = float(np.exp(-np.sum(share * np.log(share))))
    summary = {
        'mean': kept['mean'],
        'method': kept['method'],
        'max_eig': settle(float(w.max()), kept['max_eig'], noise),
        'min_eig': settle(float(w.min()), kept['min_eig'], noise),
        'n_above_1e_3_max': int((w > 1e-3 * w.max()).sum()),
        'n_negative': kept['n_negative'] if constant else int((w < 0).sum()),
        'effective_rank': settle(rank, kept['effective_rank'], 1e-11 * rank),
        'fro_rel_err': settle(error, kept['fro_rel_err'], 1e-12 * error),
        'diag_mean': settle(float(diagonal.mean()), kept['diag_mean'], 1e-14 * float(diagonal.mean())),
        'vicreg_offdiag_loss': settle(off, kept['vicreg_offdiag_loss'], 1e-13 * float((c**2).sum())),
    }
    return summary

"""How alike two recordings sound: their mel-frequency cepstra, aligned by dynamic time warping.

The cepstra are those of librosa 0.11's ``feature.mfcc`` with its defaults (2,048-sample Hann windows every 512 samples, 128 Slaney mel
bands, 20 coefficients), which OSWorld's metric uses; the alignment is exact, where OSWorld's is FastDTW's approximation of it.
"""

from __future__ import annotations

import numpy as np
from scipy.fft import dct, rfft
from scipy.signal import get_window

RATE = 22_050  #: samples a second
WINDOW = 2048  #: samples of a frame
HOP = 512  #: samples from one frame to the next
BANDS = 128
COEFFICIENTS = 20
LOUDEST = 100.0  #: of a sample; sound is within 1, but a file can say what it likes
FLOOR = 80.0  #: dB below the loudest that count as silence
ROUNDING = 1e-6  #: cosine distances below are float32's rounding
_BLOCK = 2048  #: frames that are transformed at once


def likeness(first: np.ndarray, second: np.ndarray) -> float:
    """``exp(-d)`` with d the mean cosine distance of the cepstra along the best alignment; mono samples at :data:`RATE`, float32."""
    distance, steps = _align(_directions(cepstra(first)), _directions(cepstra(second)))
    return float(np.exp(-max(0.0, distance) / steps))


def cepstra(samples: np.ndarray) -> np.ndarray:
    """Mel-frequency cepstral coefficients ``(frames, 20)`` float32 of mono samples; one that is no number is silent."""
    padded = np.pad(np.clip(np.nan_to_num(np.asarray(samples, np.float32)), -LOUDEST, LOUDEST), WINDOW // 2)
    frames = np.lib.stride_tricks.sliding_window_view(padded, WINDOW)[::HOP]
    window, bands = get_window("hann", WINDOW).astype(np.float32), _mel_bands().T
    blocks = (np.abs(rfft(frames[i : i + _BLOCK] * window, axis=1)) ** 2 @ bands for i in range(0, len(frames), _BLOCK))
    decibels = 10.0 * np.log10(np.maximum(1e-10, np.concatenate(list(blocks))))
    return dct(np.maximum(decibels, decibels.max() - FLOOR), axis=1, type=2, norm="ortho")[:, :COEFFICIENTS].astype(np.float32)


def _mel_bands() -> np.ndarray:
    """Slaney's triangular filters of equal area, ``(bands, WINDOW // 2 + 1)``: linear in Hz up to 1 kHz, logarithmic above."""
    knee, step, log_step = 1000.0, 200.0 / 3, np.log(6.4) / 27
    top = knee / step + np.log(RATE / 2 / knee) / log_step
    mels = np.linspace(0.0, top, BANDS + 2)
    edges = np.where(mels < knee / step, mels * step, knee * np.exp(log_step * (mels - knee / step)))
    ramps = edges[:, None] - np.linspace(0.0, RATE / 2, WINDOW // 2 + 1)
    widths = np.diff(edges)[:, None]
    triangles = np.maximum(0.0, np.minimum(-ramps[:-2] / widths[:-1], ramps[2:] / widths[1:]))
    return (triangles * (2.0 / (edges[2:] - edges[:-2]))[:, None]).astype(np.float32)


def _directions(coefficients: np.ndarray) -> np.ndarray:
    """Each coefficient divided by its largest size over time, then each frame by its length; zeros stay."""
    peaks = np.abs(coefficients).max(axis=0)
    scaled = coefficients / np.where(peaks > 0, peaks, 1.0)
    lengths = np.linalg.norm(scaled, axis=1, keepdims=True)
    return (scaled / np.where(lengths > 0, lengths, 1.0)).astype(np.float32)


def _align(first: np.ndarray, second: np.ndarray) -> tuple[float, int]:
    """Total cosine distance and number of steps of the best alignment of two sequences of unit vectors.

    One anti-diagonal of the table after another: cell (i, j) of diagonal i + j comes from (i - 1, j), (i, j - 1) or (i - 1, j - 1).
    """
    n, m = len(first), len(second)
    backwards = second[::-1].copy()
    # Costs and steps of the last two diagonals by i + 1; what no path has reached is infinitely far.
    last, before = np.full(n + 1, np.inf), np.full(n + 1, np.inf)
    last_steps, before_steps = np.zeros(n + 1, np.int32), np.zeros(n + 1, np.int32)
    before[0] = 0.0
    for diagonal in range(n + m - 1):
        low, high = max(0, diagonal - m + 1), min(n - 1, diagonal) + 1
        start = m - 1 - diagonal + low
        distances = 1.0 - np.einsum("ij,ij->i", first[low:high], backwards[start : start + high - low])
        distances[distances < ROUNDING] = 0.0
        here, above, corner = slice(low + 1, high + 1), slice(low, high), slice(low, high)
        best, steps = before[corner].copy(), before_steps[corner].copy()
        for costs, counts in ((last[above], last_steps[above]), (last[here], last_steps[here])):
            closer = costs < best
            np.copyto(best, costs, where=closer)
            np.copyto(steps, counts, where=closer)
        before, before_steps, last, last_steps = last, last_steps, np.full(n + 1, np.inf), np.zeros(n + 1, np.int32)
        last[here], last_steps[here] = best + distances, steps + 1
    return float(last[n]), int(last_steps[n])

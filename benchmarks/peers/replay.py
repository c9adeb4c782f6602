"""The same calls on a replay buffer of NumPy arrays, as CleanRL and Stable-Baselines3 have it, and on cpprb.

Usage: replay.py. Prints a JSON list of {name, of, min, median}: microseconds a call, and the name of the measurement
in replay.bench.ts that it stands beside. A library that is not installed is left out.
"""

import json
import time

import numpy as np

BATCH = 256
found = []


def told(name, of, runs, call, per=1):
    for _ in range(runs):
        call()
    times = []
    for _ in range(runs):
        begin = time.perf_counter_ns()
        call()
        times.append((time.perf_counter_ns() - begin) / 1e3 / per)
    times.sort()
    found.append({'name': name, 'of': of, 'min': times[0], 'median': times[len(times) // 2]})


class NumpyBuffer:
    """A ring of one array a column; uniform draws with replacement, rows taken by fancy indexing."""

    def __init__(self, capacity, obs_dim, action_dim):
        self.capacity = capacity
        self.at = 0
        self.obs = np.ones((capacity, obs_dim), np.float32)
        self.next_obs = np.ones((capacity, obs_dim), np.float32)
        self.action = np.ones((capacity, action_dim), np.float32)
        self.reward = np.ones(capacity, np.float32)
        self.done = np.zeros(capacity, np.uint8)

    def add(self, obs, action, reward, next_obs, done):
        at = self.at
        self.obs[at] = obs
        self.action[at] = action
        self.reward[at] = reward
        self.next_obs[at] = next_obs
        self.done[at] = done
        self.at = (at + 1) % self.capacity

    def sample(self, n):
        rows = np.random.randint(0, self.capacity, size=n)
        return self.obs[rows], self.action[rows], self.reward[rows], self.next_obs[rows], self.done[rows]


def with_numpy():
    name = f'NumPy {np.__version__}: '
    wide = NumpyBuffer(100_000, 208, 5)
    told(name + 'sample 256 of 100,000 x 422', 'sample 256 of 100,000 x 422', 1000, lambda: wide.sample(BATCH))
    narrow = NumpyBuffer(1_000_000, 3, 1)
    told(name + 'sample 256 of 10^6 x 8', 'sample 256 of 10^6 x 8, into out', 2000, lambda: narrow.sample(BATCH))
    obs = np.ones(3, np.float32)

    def adds():
        for _ in range(1000):
            narrow.add(obs, 0.0, 1.0, obs, 0)

    told(name + 'add, 8 float32', 'add, 8 float32', 50, adds, per=1000)


def with_cpprb():
    import cpprb
    from importlib.metadata import version

    name = f'cpprb {version("cpprb")}: '

    def columns(obs_dim, action_dim):
        return {
            'obs': {'shape': obs_dim},
            'act': {'shape': action_dim},
            'rew': {},
            'next_obs': {'shape': obs_dim},
            'done': {},
        }

    def rows(n, obs_dim, action_dim):
        return {
            'obs': np.ones((n, obs_dim), np.float32),
            'act': np.ones((n, action_dim), np.float32),
            'rew': np.ones(n, np.float32),
            'next_obs': np.ones((n, obs_dim), np.float32),
            'done': np.zeros(n, np.float32),
        }

    wide = cpprb.ReplayBuffer(100_000, columns(208, 5))
    for _ in range(100):
        wide.add(**rows(1000, 208, 5))
    told(name + 'sample 256 of 100,000 x 422', 'sample 256 of 100,000 x 422', 1000, lambda: wide.sample(BATCH))
    for kind, make in (('', cpprb.ReplayBuffer), ('prioritized ', cpprb.PrioritizedReplayBuffer)):
        narrow = make(1_000_000, columns(3, 1))
        many = rows(1000, 3, 1)
        for _ in range(1000):
            narrow.add(**many)
        one = {key: value[0] for key, value in many.items()}

        def adds():
            for _ in range(1000):
                narrow.add(**one)

        told(f'{name}{kind}add, 8 float32', f'{kind}add, 8 float32', 20, adds, per=1000)
        of = f'{kind}addBatch, 1000 rows of 8'
        told(name + of, of, 200, lambda: narrow.add(**many))
        draw = (lambda: narrow.sample(BATCH, 0.4)) if kind else (lambda: narrow.sample(BATCH))
        told(f'{name}{kind}sample 256 of 10^6 x 8', f'{kind}sample 256 of 10^6 x 8, into out', 1000, draw)
        if kind:
            batch = draw()
            priorities = np.linspace(0.1, 2, BATCH)
            of = 'updatePriorities, 256 of 10^6'
            told(name + of, of, 1000, lambda: narrow.update_priorities(batch['indexes'], priorities))


with_numpy()
try:
    with_cpprb()
except ImportError:
    pass
print(json.dumps(found))

"""Asks gymnasium, torch and stable-baselines3 what test/golden/rl says; writes nothing, exit 1 where one differs.

    python -m pip install -r scripts/golden/rl/requirements.txt
    python scripts/golden/rl/peers.py
"""

import sys
from pathlib import Path
from unittest import mock

import gymnasium
import numpy as np
import torch
from gymnasium import spaces
from stable_baselines3.common.buffers import RolloutBuffer
from stable_baselines3.common.running_mean_std import RunningMeanStd

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support.checks import expect  # noqa: E402
from support.storedkey import StoredKey, double  # noqa: E402

D = np.float64


def gymnasium_steps():
    """Every step from the recorded state, to the bit."""
    key, env = StoredKey('rl', 'cartpole'), gymnasium.make('CartPole-v1')
    for case in key.facts['cases']:
        n = case['name']
        env.reset()
        states, observations = key[f'{n}_states'], key[f'{n}_observations']
        for t, action in enumerate(key[f'{n}_actions']):
            env.unwrapped.state = np.array(states[t])
            seen, reward, terminated, truncated, _ = env.step(int(action))
            last = t == case['steps'] - 1
            expect(np.array(env.unwrapped.state) == states[t + 1], f'state {t + 1} of {n}')
            expect((seen == observations[t + 1]).all() and reward == 1, f'observation {t + 1} of {n}')
            ends = (case['terminated'], case['truncated']) if last else (False, False)
            expect((terminated, truncated) == ends, f'end of {n} at {t + 1}')


def torch_loss():
    """Loss and its gradients by torch's autograd, float64."""
    key = StoredKey('rl', 'ppo')
    for case in key.facts['cases']:
        n, e = case['name'], case['clip']
        logits, old, advantage, value, old_value, target = (
            torch.tensor(key[f'{n}_{c}'].astype(D))
            for c in ('logits', 'old_log_probs', 'advantages', 'values', 'old_values', 'returns')
        )
        actions = torch.tensor(key[f'{n}_actions'].astype(np.int64))
        if case['normalise'] != 'none':
            std = advantage.std(unbiased=case['normalise'] == 'n-1')
            advantage = (advantage - advantage.mean()) / (std + 1e-8)
        logits.requires_grad_()
        value.requires_grad_()
        policy = torch.distributions.Categorical(logits=logits)
        chosen = policy.log_prob(actions)
        ratio = (chosen - old).exp()
        surrogate = torch.max(-advantage * ratio, -advantage * torch.clamp(ratio, 1 - e, 1 + e)).mean()
        apart = (value - target) ** 2
        if case['clipValue']:
            apart = torch.max(apart, (old_value + torch.clamp(value - old_value, -e, e) - target) ** 2)
        entropy, weight = policy.entropy(), case['valueCoefficient']
        total = surrogate - case['entropyCoefficient'] * entropy.mean() + weight * 0.5 * apart.mean()
        total.backward()
        expect(abs(total.item() - double(case['f64']['total'])) < 1e-12, f'loss of {n}')
        for column, x in (
            ('log_probs', chosen),
            ('entropies', entropy),
            ('grad_logits', logits.grad),
            ('grad_values', value.grad),
        ):
            key.near(f'{n}_f64_{column}', x.detach().numpy())


def torch_orthogonal():
    key = StoredKey('rl', 'misc')
    for one in key.facts['orthogonal']:
        gaussian = torch.tensor(key[f'{one["name"]}_gaussian'])
        tensor = torch.empty(*one['shape'], dtype=torch.float64)
        drawn = lambda self, *_, **__: self.copy_(gaussian)  # noqa: E731, B023
        with mock.patch.object(torch.Tensor, 'normal_', drawn):
            torch.nn.init.orthogonal_(tensor, double(one['gain']))
        key.near(f'{one["name"]}_weights', tensor.numpy(), 1e-13)


def stable_baselines():
    """Its rollout buffer, on float64 arrays, with gamma V(final observation) added to the reward at truncations; its running moments."""
    key = StoredKey('rl', 'gae')
    for case in key.facts['cases']:
        n, steps, envs = case['name'], case['steps'], case['environments']
        rewards, values, following = (key[f'{n}_{c}'].astype(D) for c in ('rewards', 'values', 'next_values'))
        ended, cut = (key[f'{n}_{c}'] != 0 for c in ('terminated', 'truncated'))
        cut = cut & ~ended
        box, two = spaces.Box(-1, 1, (1,)), spaces.Discrete(2)
        buffer = RolloutBuffer(steps, box, two, 'cpu', case['lambda'], case['gamma'], envs)
        buffer.rewards = rewards + np.where(cut, case['gamma'] * following, 0)
        buffer.values, buffer.advantages = values, np.zeros_like(values)
        done = ended | cut
        buffer.episode_starts = np.concatenate([np.zeros((1, envs)), done[:-1]]).astype(D)
        last = torch.tensor(following[-1])
        buffer.compute_returns_and_advantage(last_values=last, dones=done[-1].astype(D))
        key.near(f'{n}_f64_advantages', buffer.advantages, 1e-13)
        key.near(f'{n}_f64_returns', buffer.returns, 1e-13)
    key, row = StoredKey('rl', 'misc'), 0
    moments = RunningMeanStd(epsilon=key.facts['runningStart']['count'], shape=(4,))
    for i, size in enumerate(key.facts['runningBatches']):
        moments.update(key['running_rows'][row : row + size])
        row += size
        expect(np.abs(moments.mean - key['running_mean'][i]) <= 1e-14, 'running mean')
        expect(np.abs(moments.var - key['running_variance'][i]) <= 1e-13, 'running variance')


if __name__ == '__main__':
    for ask in (gymnasium_steps, torch_loss, torch_orthogonal, stable_baselines):
        ask()
        print(f'{ask.__name__}: as stored')

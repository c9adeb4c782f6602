import { readFileSync } from 'node:fs'

/** Why a public function of optax has no counterpart here, or what it is here. Keys are its names behind the module. */
export const optaxReasons: Readonly<Record<string, string>> = {
  // Helpers of those who write transforms.
  bias_correction: 'a step inside of the transforms here: `ema` gives it',
  flatten: 'leaves are not copied together here: a compiled step is one pass over all of them',
  init_empty_state: 'a state without anything is `{}`',
  safe_increment: 'counts here are JavaScript numbers, which end at 2^31 - 1 as in optax without a function',
  safe_int32_increment: 'an old name of `safe_increment`',
  stateless:
    'an object with `init` and `update` is a transformation: `{ init: () => ({}), update: (g, s) => [f(g), s] }`',
  stateless_with_tree_map: '`mapTree` inside of such an `update`',
  update_infinity_moment: 'a step inside of `scaleByAdamax`',
  update_moment: 'a step inside of `ema` and the rescalings',
  update_moment_per_elem_norm: 'a step inside of the rescalings',
  with_extra_args_support: 'every `update` takes the fourth argument',
  value_and_grad_from_state:
    'line searches here return the value and the gradient at the new point to `makeTrainStep` by themselves',
  inject_stateful_hyperparams:
    '`injectHyperparams` with a schedule; a schedule with a state of its own is an argument of the step',
  // Other names.
  convex_kl_divergence: 'an old name of `generalizedKlDivergence`',
  optimistic_adam: 'an old one, wrong in optax by its own word: `optimisticAdamV2`',
  scale_by_distance_over_gradients: 'an old name of the contributed `scaleByDog`',
  dpsgd: '`chain(differentiallyPrivateAggregate, sgd)`',
  // Not of optimizers.
  ctc_loss_with_forward_probs: 'the forward probabilities are inside of `ctcLoss`; no use for them was found',
  matrix_inverse_pth_root: 'for Shampoo, which optax has not either',
  multi_normal: 'distributions of optax without a log density: `random.normal` draws',
  nnls: 'a solver, not an optimizer of a training',
  base_hungarian_algorithm: 'an assignment, not an optimizer of a training',
  hungarian_algorithm: 'an assignment, not an optimizer of a training',
  make_perturbed_fun:
    'a Monte Carlo estimate: draw with `random.gumbel` or `random.normal`, and weigh the draws by `stopGradient`',
  split_real_and_imaginary: 'there are no complex numbers here',
  // Optimizers and losses that were not asked for.
  acprop: 'not here: Adam whose steps are one behind',
  scale_by_acprop: 'not here: of `acprop`',
  galore: 'not here: it needs a singular value decomposition',
  scale_by_galore: 'not here: of `galore`',
  madgrad: 'not here',
  scale_by_madgrad: 'not here: of `madgrad`',
  mechanize: 'not here: `prodigy`, `dadaptAdamw`, `dog` and `dowg` find their rates',
  simplified_ademamix: 'not here: `ademamix`',
  scale_by_simplified_ademamix: 'not here: `ademamix`',
  binary_dice_loss: '`diceLoss` of one class',
  multiclass_generalized_dice_loss: 'not here: `diceLoss` times weights of classes',
  sparsemax_loss: 'not here: no key of sparsemax yet',
  multiclass_sparsemax_loss: 'not here: no key of sparsemax yet',
  ranking_softmax_loss: 'not here: `softmaxCrossEntropy` with `where` over lists',
  micro_grad: '`microbatch(grad(loss), ...)`',
  micro_vmap: '`microbatch(vmap(f), { accumulate: "concat" })`',
  reshape_batch_axis: 'parts are cut row after row here',
}

/** Optax's public functions by module, as scripts/golden/optax_root.py wrote them. */
export function optaxNames(root: string): Readonly<Record<string, readonly string[]>> {
  const key: { readonly names: Readonly<Record<string, readonly string[]>> } = JSON.parse(
    readFileSync(`${root}/test/golden/optimizer/root.json`, 'utf8'),
  )
  return key.names
}

/** What a name of optax is called here, whatever letters are capital ones. */
export const ourNameOf = (name: string): string => name.replaceAll('_', '').toLowerCase()

const begin = '<!-- optax: written by npm run doors -->'
const end = '<!-- optax: end -->'

/** docs/optimizers.md with its table of what optax has and this library has not. */
export function optaxPage(page: string): string {
  const [before, after] = [page.indexOf(begin), page.indexOf(end)]
  if (before < 0 || after < before) {
    throw new Error('optaxPage: docs/optimizers.md has no place for the table')
  }
  const rows = Object.entries(optaxNames('.')).flatMap(([module, names]) =>
    names
      .filter((name) => optaxReasons[name] !== undefined)
      // What stands in a module and in the root is listed once.
      .filter((name) => module === 'optax' || !optaxNames('.')['optax']!.includes(name))
      .map((name) => `| \`${module}.${name}\` | ${optaxReasons[name]} |`),
  )
  const table = ['| function of optax 0.2.8 | here |', '|---|---|', ...rows].join('\n')
  return `${page.slice(0, before)}${begin}\n\n${table}\n\n${page.slice(after)}`
}

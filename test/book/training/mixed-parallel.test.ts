import { meshSize, unitMesh } from '../../../src/sharding/axis.ts'
import { section } from '../case.ts'
import { inventedChip } from '../chips.ts'
import { onRings } from '../hardware/networks.ts'
import { mlpTime } from './mlp.ts'
import { day, trainingTime } from './utilisation.ts'
import {
  bestFsdp,
  fsdpLayer,
  fsdpTokens,
  mixedSpare,
  mixedTokensPerChip,
  spare,
  v5p,
  v5pRing,
} from './v5p.ts'

section('FSDP and tensor parallelism together', (hold) => {
  hold('tr-layer-fsdp_tp', 'the two passes of a layer under FSDP and tensor parallelism', (input) => {
    const fsdp = { size: input('X'), rings: input('M_X') }
    const tensor = { size: input('Y'), rings: input('M_Y') }
    const arrangement = onRings({ fsdp, tensor }, input('W_bidi'))
    const layer = { D: input('D'), F: input('F'), chip: inventedChip(input('flops_per_s')), arrangement }
    const { forward, backward } = mlpTime(layer, input('B'))
    const again = mlpTime({ ...layer, regather: true }, input('B'))
    return {
      math_fwd: forward.compute,
      math_bwd: backward.compute,
      fsdp_fwd: forward.over('fsdp'),
      fsdp_bwd: backward.over('fsdp'),
      tp_fwd: forward.over('tensor'),
      tp_bwd: backward.over('tensor'),
      tp_bwd_regather: again.backward.over('tensor'),
    }
  })

  for (const id of ['tr-xopt-n64-48000', 'tr-xopt-n64-48Ki', 'tr-xopt-q3-13b', 'tr-xopt-llama70b']) {
    hold(id, 'communication is shortest where both kinds take as long', (input) => {
      const X = bestFsdp(input('N'), input('B_tokens'), input('F'))
      return { X_opt: X, Y_opt: input('N') / X }
    })
  }

  for (const id of ['tr-mixed-crit-F13824', 'tr-mixed-crit-F28672']) {
    hold(id, 'the best split is compute-bound from so many tokens a chip', (input) => ({
      min_tokens_per_chip: mixedTokensPerChip(4096, input('F')),
    }))
  }

  hold('tr-mixed-vs-fsdp', 'the best split needs a ninth of the tokens that FSDP alone needs', () => ({
    gain: fsdpTokens(4096) / 4096 / mixedTokensPerChip(4096, 32768),
  }))

  hold('tr-fig-16x16x16-crit', 'a cube of 4096 chips is compute-bound from 400,000 tokens', (input) => ({
    batch_tokens: mixedTokensPerChip(input('N'), input('F')) * input('N'),
  }))

  hold(
    'tr-q3-limits',
    'three million tokens are too few for FSDP on 4096 chips, and enough with tensor',
    (input) => {
      const [chips, tokens] = [input('chips'), input('B')]
      return {
        fsdp_min_batch: fsdpTokens(chips),
        fsdp_ok: spare(fsdpLayer(chips), tokens) > 0,
        mixed_min_per_chip: mixedTokensPerChip(chips, 13824),
        tokens_per_chip: tokens / meshSize({ ...unitMesh, fsdp: chips }),
        mixed_ok: mixedSpare(chips, tokens, 13824) > 0,
      }
    },
  )

  hold('at-mixed', 'LLaMA 70B on a pod has more tokens a chip than the best split needs', (input) => ({
    needed: mixedTokensPerChip(8960, input('F')),
    compute_bound: mixedSpare(8960, 8960 * input('tokens_per_chip'), input('F')) > 0,
  }))

  hold('at-w1-4pods', 'LLaMA 70B on four pods is on the edge of compute-bound', (input) => {
    const [pods, chips, F] = [input('pods'), input('chips_per_pod'), input('F')]
    const acrossPods = onRings({ fsdp: { size: chips, rings: 3 } }, v5pRing, {
      data: pods,
      dcnBytesPerSecondPerChip: 6.25e9,
    })
    const layer = { D: 8192, F, chip: v5p, arrangement: acrossPods }
    const tokens = input('batch_tokens')
    const { backward } = mlpTime(layer, tokens)
    return {
      tokens_per_pod: tokens / pods,
      dcn_ok: backward.compute > (backward.resources.at(-1) ?? 0),
      tokens_per_chip: tokens / meshSize({ ...unitMesh, data: pods, fsdp: chips }),
      needed_per_chip: mixedTokensPerChip(chips, F),
      compute_bound: mixedSpare(chips, tokens / pods, F) > 0,
      tokens_per_chip_if_4e6: 4e6 / meshSize({ ...unitMesh, data: pods, fsdp: chips }),
      compute_bound_if_4e6: mixedSpare(chips, 4e6 / pods, F) > 0,
      X_opt_per_pod: bestFsdp(chips, tokens / pods, F),
      days: trainingTime(70e9, 15e12, pods * chips, 4.59e14, input('mfu')) / day,
    }
  })
})

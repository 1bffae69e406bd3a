/** The model as the trainers have it that may launch plans: where none of them has layers that predict further tokens, without those. */
import type { Assumptions } from '../../src/assumptions/assumptions.ts'
import type { Activity } from '../../src/assumptions/stack.ts'
import type { Chip } from '../../src/hardware/chip.ts'
import { furtherLayersLacking } from '../../src/launch/training.ts'
import type { Transformer } from '../../src/model/transformer.ts'

interface Trained {
  readonly model: Transformer
  readonly warnings: readonly string[]
}

export function trainedBy(
  model: Transformer,
  runs: Activity,
  { frameworks }: Pick<Assumptions, 'frameworks'>,
  { kind }: Pick<Chip, 'kind'>,
): Trained {
  const { name, multiTokenLayers: further } = model
  const why = runs === 'training' && further > 0 ? furtherLayersLacking(frameworks, kind) : null
  if (why === null) return { model, warnings: [] }
  return {
    model: { ...model, multiTokenLayers: 0 },
    warnings: [`${why}: ${name} is costed without its ${further}`],
  }
}

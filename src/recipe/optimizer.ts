/** Optimizers, looked up by name. */
import type { OptimizerRow } from './optimizer-row.ts'
import { type OptimizerName, optimizers } from './optimizers.ts'
import { rowsByName } from './rows.ts'

export const optimizerRows: readonly (OptimizerRow & { readonly name: OptimizerName })[] = optimizers

export const optimizerRow: (name: OptimizerName) => OptimizerRow = rowsByName<OptimizerRow>(optimizers)

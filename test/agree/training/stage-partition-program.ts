/**
 * The partition of layers into stages as a mixed-integer programme, to compare stage-partition.ts with, for few layers.
 * With x_ls = 1 if layer l is on stage s:
 *
 *   minimise T      Σ_s x_ls = 1,   Σ_l x_ls >= 1,   Σ_l t_l·x_ls <= T,   Σ_l (b_l + f_s·k_l)·x_ls <= limit_s
 *   Σ_{r>=s} x_ls <= Σ_{r>=s} x_(l+1)r      a layer lies no earlier than the one before it
 *
 * Times are divided by the longest layer's, bytes by the largest limit.
 */
import type { LinearProgram, Row, Solver } from '../../../solvers/linear-program.ts'
import type { LayerLoad, StagePartition, StageRoom } from '../../../src/search/stages/stage-partition.ts'

export type StagePartitionAnswer =
  | ({ readonly status: 'optimal' } & StagePartition)
  | { readonly status: 'infeasible' | 'unsolved' }

export function solveStagePartition(
  layers: readonly LayerLoad[],
  stages: readonly StageRoom[],
  solver: Solver,
): StagePartitionAnswer {
  const unit = Math.max(...layers.map(({ time }) => time)) || 1
  const answer = solver(stagePartitionProgram(layers, stages, unit))
  if (answer.status === 'infeasible') return { status: 'infeasible' }
  if (answer.status !== 'optimal') return { status: 'unsolved' }
  const { values, objective } = answer.point
  const counts = stages.map((_, stage) =>
    layers.reduce((count, _layer, layer) => count + Math.round(values[lies(layer, stage)] ?? 0), 0),
  )
  return { status: 'optimal', counts, longest: objective * unit }
}

function stagePartitionProgram(
  layers: readonly LayerLoad[],
  stages: readonly StageRoom[],
  unit: number,
): LinearProgram {
  const most = Math.max(...stages.map(({ limit }) => limit).filter(Number.isFinite), 0) || 1
  const over = (stage: number, weight: (load: LayerLoad) => number) =>
    Object.fromEntries(layers.map((load, layer) => [lies(layer, stage), weight(load)]))
  return {
    variables: [
      { name: 'longest', cost: 1 },
      ...layers.flatMap((_, layer) =>
        stages.map((_room, stage) => ({ name: lies(layer, stage), cost: 0, upper: 1, integer: true })),
      ),
    ],
    rows: [
      ...layers.map((_, layer): Row => {
        const all = Object.fromEntries(stages.map((_room, stage) => [lies(layer, stage), 1]))
        return { name: `layer ${layer}`, terms: all, lower: 1, upper: 1 }
      }),
      ...stages.flatMap(({ inFlight, limit }, stage): readonly Row[] => {
        return [
          { name: `some on ${stage}`, terms: over(stage, () => 1), lower: 1 },
          {
            name: `time of ${stage}`,
            terms: { longest: -1, ...over(stage, ({ time }) => time / unit) },
            upper: 0,
          },
          ...(Number.isFinite(limit)
            ? [
                {
                  name: `bytes of ${stage}`,
                  terms: over(stage, ({ bytes, kept }) => (bytes + inFlight * kept) / most),
                  upper: limit / most,
                },
              ]
            : []),
        ]
      }),
      ...layers.slice(1).flatMap((_, before) =>
        stages.slice(1).map((_room, at): Row => {
          const later = stages.flatMap((_other, stage) => (stage > at ? [stage] : []))
          const terms = later.flatMap((stage) => [
            [lies(before, stage), 1],
            [lies(before + 1, stage), -1],
          ])
          return { name: `order of ${before} after ${at}`, terms: Object.fromEntries(terms), upper: 0 }
        }),
      ),
    ],
  }
}

function lies(layer: number, stage: number): string {
  return `layer ${layer} on ${stage}`
}

/**
 * torchtitan configuration, for the last release, which reads TOML, and a command for main, which does not
 * (overrides.ts). Ranks are tensor x context x shard x replicate x pipeline, and FSDP2 shards over shard and context
 * together. What a plan's ZeRO stage asks of it:
 *
 *   ZeRO-0   DDP, which works with no other axis
 *   ZeRO-1   FSDP that never reshards, under a pipeline: PyTorch's stages then keep gathered weights and whole gradients
 *            until the last microbatch (interleaved: up to 3 chunks of a stage at once)
 *   ZeRO-2   the same without a pipeline and with one microbatch, where ZeRO-1 moves the same bytes
 *   ZeRO-3   FSDP that always reshards, without a pipeline; `data` replicates (HSDP)
 *
 * Experts are distributed over ranks that shard (experts.ts).
 *
 * Gradients are reduced in fp32; mixed precision needs FSDP, or DDP without other axes. Source: pytorch/torchtitan
 * v0.2.2, torchtitan/config/job_config.py, distributed/{parallel_dims,pipeline_parallel,utils}.py,
 * models/llama3/infra/parallelize.py; pytorch/pytorch, torch/distributed/pipelining/{schedules,stage}.py.
 */

import { compact } from '../../compact.ts'
import type { Launch } from '../launch.ts'
import { longName } from '../long-names.ts'
import { lastHostNote } from '../run/notes.ts'
import { runRefusal } from '../run/rules.ts'
import type { Run } from '../run/run.ts'
import { torchrun } from '../run/torchrun.ts'
import type { Start } from '../start.ts'
import { torchtitanDegrees } from './degrees.ts'
import { torchtitanExpertNotes } from './experts.ts'
import { torchtitanFlavor } from './flavor.ts'
import { torchtitanToday } from './overrides.ts'
import { torchtitanPipeline } from './pipeline.ts'
import { torchtitanRecomputation } from './recomputation.ts'
import { torchtitanOptimizers, torchtitanRules } from './rules.ts'
import { type TomlSections, toml } from './toml.ts'
import { torchtitanVersion } from './version.ts'

export function torchtitan(run: Run): Launch<string> {
  const flavor = torchtitanFlavor(run)
  const recomputation = torchtitanRecomputation(run)
  const refusal = runRefusal(torchtitanRules, run)
  if (!flavor || !recomputation || refusal.unsupported.length > 0) return refusal
  const sections = {
    model: { ...flavor.model, ...(isFp8(run) ? { converters: ['quantize.linear.float8'] } : {}) },
    optimizer: { name: torchtitanOptimizers[run.problem.workload.optimizer] ?? '' },
    training: training(run),
    parallelism: { ...torchtitanDegrees(run), ...torchtitanPipeline(run) },
    activation_checkpoint: recomputation,
    ...(isFp8(run) ? fp8Sections : {}),
  }
  const notes = compact(flavor.notes, torchtitanExpertNotes(run), operandNote(run), lastHostNote(run))
  const text = toml(sections)
  const start = torchtitanToday(run, flavor, sections) ?? released(run, text, sections)
  return { flags: text, start, notes }
}

function released({ problem }: Run, text: string, { model: _, ...layout }: TomlSections): Start {
  const name = 'shardplan.toml'
  return {
    version: torchtitanVersion,
    command: `${torchrun(problem.cluster)} -m torchtitan.train --job.config_file ${name}`,
    files: [{ name, text }],
    parallelism: toml(layout),
  }
}

/** Rowwise scaling gathers activations over tensor in bf16, as plans assume. */
const fp8Sections: TomlSections = {
  compile: { enable: true },
  'quantize.linear.float8': { recipe_name: 'rowwise' },
}

function isFp8({ problem }: Run): boolean {
  return problem.precision.compute === 'fp8'
}

/** torchao's matmuls in fp8 save what they read as it was before the cast (pytorch/ao, torchao/float8/float8_linear.py, matmul_with_hp_or_float8_args). */
function operandNote(run: Run): string | null {
  if (!isFp8(run) || !run.problem.assumptions.narrowOperands) return null
  return 'torchtitan: torchao keeps what matmuls in fp8 read in bf16, and the plan counts it in fp8 as Transformer Engine keeps it; assumptions.narrowOperands false counts it so.'
}

/** A pipeline divides the local batch into its microbatches; without one, gradients accumulate until the global batch is reached. */
function training({ mesh, microbatch, microbatches, globalBatch, sequenceLength, problem }: Run) {
  return {
    local_batch_size: mesh.pipeline > 1 ? microbatch * microbatches : microbatch,
    global_batch_size: globalBatch,
    seq_len: sequenceLength,
    mixed_precision_param: longName(problem.precision.compute),
    mixed_precision_reduce: 'float32',
  }
}

/**
 * How a framework runs layers with experts, a row each. What each way costs is part of a
 * stack (assumptions/stack.ts) and fitted for each, since the same release of the same software on the same chips differs by up to a factor of
 * two between them.
 *
 *   alltoall   NCCL's AllToAll sends a copy for each expert; its sizes come from the host, which waits for the counts
 *   flex       DeepEP or HybridEP sends a copy for each chip and sorts on the way; kernels are launched one by one
 *   graphed    the same, with attention, router and what prepares the dispatch in CUDA graphs
 *   captured   the whole step in one graph, experts padded to a capacity and their activations in pages; the MLP of all experts is one kernel
 *              that activates and casts too, attention runs in fp8, one microbatch runs forwards beside another backwards
 *   dropped    AllToAll, dropping tokens over an expert's capacity: sizes are known, and nothing waits for them
 *
 * Source: NVIDIA-NeMo/Megatron-Bridge at v0.1.0rc4 to v0.6.0, scripts/performance and src/megatron/bridge/perf_recipes; NVIDIA-NeMo/NeMo
 * @0f467cab77, scripts/performance/llm.
 */
import { rowsByName } from './rows.ts'

/** A way to run layers with experts, as far as a launch has to say it. */
export interface ExpertRecipeRow {
  readonly name: string
  /** What CUDA graphs hold: nothing, the parts of a layer whose sizes are known, or the whole step. */
  readonly graphs: 'none' | 'parts' | 'step'
  /** Whether one microbatch runs forwards beside another backwards. */
  readonly overlaps: boolean
}

/** The first row is for stacks and frameworks that do not tell ways apart. */
export const expertRecipes = [
  { name: 'unstated', graphs: 'none', overlaps: false },
  { name: 'alltoall', graphs: 'none', overlaps: false },
  { name: 'flex', graphs: 'none', overlaps: false },
  { name: 'graphed', graphs: 'parts', overlaps: false },
  { name: 'captured', graphs: 'step', overlaps: true },
  { name: 'dropped', graphs: 'none', overlaps: false },
] as const satisfies readonly ExpertRecipeRow[]

export type ExpertRecipeName = (typeof expertRecipes)[number]['name']

export const expertRecipeRow: (name: ExpertRecipeName) => ExpertRecipeRow =
  rowsByName<ExpertRecipeRow>(expertRecipes)

/** The way of stacks and frameworks that do not tell ways apart. */
export const unstated: ExpertRecipeName = expertRecipes[0].name

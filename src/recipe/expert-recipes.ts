/**
 * How a framework runs layers with experts, a row each. What it is to have one is said in expert-recipe-row.ts; what each costs is a stack's
 * (assumptions/stack.ts), fitted apart, since the same release of the same software on the same chips differs by up to a factor of two between them.
 *
 *   alltoall   NCCL's AllToAll sends a copy for each expert; its sizes come from the host, which waits for the counts
 *   flex       DeepEP or HybridEP sends a copy for each chip and sorts on the way; kernels are launched one by one
 *   graphed    the same, attention, router and what prepares the dispatch in CUDA graphs
 *   captured   the whole step in one graph, experts padded to a capacity and their activations in pages; the MLP of all experts one kernel that
 *              activates and casts too, attention in fp8; a microbatch forwards beside another backwards
 *   dropped    AllToAll with tokens over an expert's capacity dropped: sizes are known, and nothing waits for them
 *
 * Source: NVIDIA-NeMo/Megatron-Bridge at v0.1.0rc4 to v0.6.0, scripts/performance and src/megatron/bridge/perf_recipes; NVIDIA-NeMo/NeMo
 * @0f467cab77, scripts/performance/llm.
 */
import type { ExpertRecipeRow } from './expert-recipe-row.ts'

/** The first is that of what has no ways that are told apart. */
export const expertRecipes = [
  { name: 'unstated', graphs: 'none', overlaps: false },
  { name: 'alltoall', graphs: 'none', overlaps: false },
  { name: 'flex', graphs: 'none', overlaps: false },
  { name: 'graphed', graphs: 'parts', overlaps: false },
  { name: 'captured', graphs: 'step', overlaps: true },
  { name: 'dropped', graphs: 'none', overlaps: false },
] as const satisfies readonly ExpertRecipeRow[]

export type ExpertRecipeName = (typeof expertRecipes)[number]['name']

/**
 * Options that Megatron-LM takes only with others, or not with others: it stops at its start, or at the first step, otherwise. A
 * setting is an option, or an option with a value, or several of these that hold together. Source: NVIDIA/Megatron-LM d98e8a64dd,
 * by lines of megatron/training/arguments.py (a) and megatron/core/transformer/transformer_config.py (c).
 */
import type { Options } from '../../../read/options.ts'
import { scaledAtHand } from '../../fp8-recipe.ts'

interface Only {
  readonly setting: string
  /** One of these. */
  readonly needs: readonly string[]
}

const sharded = ['--use-distributed-optimizer', '--use-megatron-fsdp', '--optimizer dist_muon']
const exchanged = ['--moe-token-dispatcher-type alltoall', '--moe-token-dispatcher-type flex']
const selective = '--recompute-granularity selective'
const full = '--recompute-granularity full'
const batched = '--overlap-moe-expert-parallel-comm'
export const torchSharded = '--use-torch-fsdp2'

export const only: readonly Only[] = [
  // a1025, a1028
  { setting: '--overlap-param-gather', needs: sharded },
  { setting: '--overlap-param-gather', needs: ['--overlap-grad-reduce'] },
  // a1095, a1104, c1567
  { setting: '--fp8-param-gather', needs: sharded },
  { setting: '--fp8-param-gather', needs: ['--fp8-format'] },
  { setting: '--fp4-param-gather', needs: ['--fp4-format'] },
  // a1040, a1044
  { setting: torchSharded, needs: ['--no-gradient-accumulation-fusion'] },
  { setting: torchSharded, needs: ['--untie-embeddings-and-output-weights'] },
  // a1169, a1885
  { setting: '--use-megatron-fsdp', needs: ['--ckpt-format fsdp_dtensor'] },
  { setting: '--optimizer-cpu-offload', needs: ['--use-precision-aware-optimizer'] },
  // c1820, c1862, c1872, c2677
  {
    setting: '--moe-shared-expert-overlap --moe-shared-expert-intermediate-size',
    needs: exchanged,
  },
  { setting: '--moe-pad-expert-input-to-capacity', needs: ['--moe-expert-capacity-factor'] },
  {
    setting: '--moe-expert-rank-capacity-factor',
    needs: ['--moe-flex-dispatcher-backend hybridep', '--moe-flex-dispatcher-backend ncclep'],
  },
  // c1745
  { setting: '--moe-enable-deepep', needs: ['--moe-token-dispatcher-type flex'] },
  { setting: '--moe-router-group-topk', needs: ['--moe-router-num-groups'] },
  // c2115; a bias is fused with an activation unless there is none.
  { setting: '--squared-relu', needs: ['--disable-bias-linear', '--no-bias-gelu-fusion'] },
  // c1913, c1919, c1964, c1969
  { setting: full, needs: ['--recompute-method'] },
  { setting: full, needs: ['--recompute-num-layers'] },
  { setting: `${selective} --recompute-modules moe_act`, needs: ['--moe-grouped-gemm'] },
  { setting: `${selective} --recompute-modules mla_up_proj`, needs: ['--multi-latent-attention'] },
  // c2001; delayed is what it scales by unless it is told otherwise.
  ...scaledAtHand.map((name) => ({
    setting: `--fp8-format ${selective} --recompute-modules ${name}`,
    needs: ['tensorwise', 'blockwise', 'mxfp8', 'custom'].map((recipe) => `--fp8-recipe ${recipe}`),
  })),
  // c3016, c3035, c3074
  { setting: batched, needs: exchanged },
  { setting: batched, needs: ['--bf16', '--fp16'] },
  { setting: '--delay-wgrad-compute', needs: [batched] },
]

interface Apart {
  readonly settings: readonly string[]
  /** None of these. */
  readonly besides: readonly string[]
}

const layout = '--pipeline-model-parallel-layout'
const ends = ['--decoder-first-pipeline-num-layers', '--decoder-last-pipeline-num-layers']
const counted = ['--account-for-embedding-in-pipeline-split', '--account-for-loss-in-pipeline-split']
const chunked = ['--num-layers-per-virtual-pipeline-stage', '--num-virtual-stages-per-pipeline-rank']
const layerGraphs = ['--cuda-graph-impl local', '--cuda-graph-impl transformer_engine']
const onHost = '--cpu-offloading-num-layers'
const otherFormats = ['--ckpt-format torch', '--ckpt-format zarr', '--ckpt-format fsdp_dtensor']

export const apart: readonly Apart[] = [
  // a1101, a1196, a1974
  { settings: ['--fp8-format'], besides: ['--fp4-format'] },
  { settings: ['--bf16'], besides: ['--fp16'] },
  { settings: ['--multi-latent-attention'], besides: ['--group-query-attention'] },
  // a1279, a1281, a1295
  { settings: ['--train-iters'], besides: ['--train-samples', '--lr-decay-samples'] },
  { settings: ['--train-samples'], besides: ['--lr-decay-iters'] },
  // a814 to a837, c2226, c2245
  { settings: ['--hybrid-layer-pattern'], besides: [...chunked, layout, ...counted] },
  { settings: ends, besides: counted },
  { settings: [layout], besides: [...ends, ...counted] },
  // a1038, a1042, a1046
  {
    settings: [torchSharded],
    besides: ['--use-distributed-optimizer', '--fp16', ...otherFormats],
  },
  // a607 makes it selective, whatever else is said
  { settings: ['--recompute-activations'], besides: ['--recompute-method', '--recompute-num-layers'] },
  // a1425, c1925, c1896, c2800, c2855
  { settings: [selective], besides: ['--recompute-method', '--recompute-num-layers'] },
  { settings: [onHost], besides: ['--recompute-granularity', ...layerGraphs] },
  { settings: [full], besides: layerGraphs },
  // c1990, c3021, c3030, c3039
  {
    settings: ['--moe-shared-expert-overlap'],
    besides: [`${selective} --recompute-modules shared_experts`, batched],
  },
  { settings: [batched], besides: [full, `${selective} --recompute-modules moe`] },
]

/** Whether options have all of a setting, by whatever name they have it. */
export function isSet(options: Options, setting: string): boolean {
  return setting.split(/ (?=--)/).every((one) => {
    const [name = '', value] = one.split(' ')
    const given = options.given(name)
    return given !== null && (value === undefined || given.includes(value))
  })
}

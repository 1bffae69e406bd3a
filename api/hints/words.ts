/** Other names for the words that values of a request may have. As with keys, none is accepted. */
import { listed, plainName } from './name.ts'

export const words = listed({
  train: 'training pretrain pretraining finetune finetuning sft learn',
  prefill: 'prompt prompts context prefilling encode',
  generate: 'decode decoding generation sampling autoregressive',
  serve: 'serving inference infer deploy deployment online endpoint',
  stepTime: 'time speed step fastest mfu duration',
  throughputPerChip: 'throughput tokensPerSecond tokensPerSecondPerChip tps throughputPerGpu',
  costPerToken: 'cost price cheapest dollars usd',
  latency: 'tpot itl ttft interactive',
  adamw: 'adam fusedAdam adamwTorch distributedAdam',
  adam8bit: '8bitAdam adamw8bit adam8 bnb pagedAdamw8bit',
  sgd: 'plainSgd',
  momentum: 'sgdMomentum nesterov',
  '1f1b': 'pipedream pipedreamFlush oneForwardOneBackward noninterleaved',
  'interleaved-1f1b': 'interleaved interleave vpp virtual interleaved1f1b',
  'zb-h1': 'zeroBubble zb zbh1 zb1p',
  dualpipe: 'dual bidirectional dualpipev',
  gpipe: 'fillDrain afab',
  bf16: 'bfloat16 fp16 float16 half f16 bf',
  fp32: 'float32 float f32 single tf32',
  fp8: 'float8 f8 e4m3 fp8e4m3 fp8e5m2 float8e4m3fn mxfp8 fp8mx w8a8fp8 fp8cs fp8sc fp8ds',
  int8: 'i8 w8a8 w8a16 smoothquant q8',
  fp4: 'float4 f4 e2m1',
  nvfp4: 'fp4nv modeloptFp4',
  mxfp4: 'mxfp4e2m1 ocpFp4',
  int4: 'i4 w4a16 awq gptq nf4 q4',
  gather: 'allGather allGatherKv gathered',
  ring: 'ringAttention p2p zigzag',
  ulysses: 'a2a allToAll deepspeedUlysses',
  calibrated: 'default measured real realistic',
  book: 'ideal scalingBook theoretical roofline',
  megatron: 'megatronLm nemo megatronCore mcore megatronBridge',
  torchtitan: 'titan pytorch fsdp2 torch',
  maxtext: 'jax xla pax',
  vllm: 'vllmServe llmD',
  sglang: 'sgl srt',
  'tensorrt-llm': 'trt trtLlm tensorrt tensorrtLlm trtllmServe',
  AllGather: 'ag gather',
  ReduceScatter: 'rs scatter',
  AllReduce: 'ar reduce',
  AllToAll: 'a2a alltoall',
  Permute: 'sendRecv p2p collectivePermute ppermute',
  mha: 'multiHead multiHeadAttention',
  gqa: 'grouped groupedQuery groupedQueryAttention',
  mqa: 'multiQuery multiQueryAttention',
  mla: 'latent multiHeadLatentAttention',
  gpu: 'nvidia cuda amd rocm',
  tpu: 'google',
  auto: 'either best any both',
  max: 'maximum all most full auto unlimited',
})

const scaledByBlocks =
  'Where matmuls take a scale for each block of 32 (Blackwell, MI350 and later), fp8 is MXFP8.'

const remarks: ReadonlyMap<string, string> = new Map([
  ['mxfp8', scaledByBlocks],
  ['fp8mx', scaledByBlocks],
])

/** What is to be said of a word beside that another one is meant. */
export function remarkOn(word: string): string | undefined {
  return remarks.get(plainName(word))
}

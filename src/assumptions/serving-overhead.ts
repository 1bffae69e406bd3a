/** What a step of serving takes beside products and collectives, as it is fitted to measured servers and kernels. */

/**
 * What sorting tokens, starting grouped kernels and summing what they made takes: the kernels of SGLang, TensorRT-LLM and vLLM take 21 to
 * 42 us beside what they stream and compute, 30 in the middle, in bf16, fp8, blocks of fp8 and NVFP4 alike (130 000 times of 1 to 1024
 * tokens on H100 and B200: ai-dynamo/aiconfigurator @095f58a51c4c, sglang 0.5.14, trtllm 1.3.0rc20, vllm 0.24.0, least mean log error with
 * everything else as it is costed here). Of that, 10 us are the starts of the two matmuls that a layer without experts has in their place,
 * 5 us each, which the time of a layer includes.
 */
const groupedStart = 2e-5

/**
 * The same grouped kernels in int4 and MXFP4 that unpack to bf16 stream 1.2 to 1.9 times as long as their bytes, and at many rows multiply
 * 1.3 (MXFP4 on Hopper) to 2.5 times as long as plain ones of bf16: each tile of weights is unpacked again for every tile of rows. 1.7 in the middle
 * of both. MXFP4 beside fp8 on Blackwell is not unpacked, and takes 0.9 and 1.2.
 */
const unpackedFactor = 1.7

/**
 * Of 64 to 1024 rows, matmuls of bf16 take 3 us beside the longer of their arithmetic and streaming as costed here; in fp8, blocks of fp8 and NVFP4,
 * with their inputs quantised, the fastest of TensorRT-LLM, vLLM and SGLang takes 4 us more, TensorRT-LLM 5 to 13 more (1250 times on H100, H200, B200,
 * B300, GB200 and GB300, alike: ai-dynamo/aiconfigurator @095f58a51c4c). Between both. A layer's time has the 3 us.
 */
const narrowStart = 7e-6

/**
 * Kernels of prompts are started one after another, mostly by Python: SGLang and TensorRT-LLM capture no graph of prompts by default, vLLM none
 * of more than 512 tokens. Python takes about 35 us a kernel (NVIDIA/TensorRT-LLM, pull request 12653), of which a dense layer has some ten; 36 layers
 * took 16.4 ms for 513 tokens and 16.6 for 129 (wejoncy/sfllm, pull request 46), 0.45 ms each. The 289 rows of the fit (below) say 0.3 ms, and
 * those of vLLM, SGLang and TensorRT-LLM 0.4, 0.4 and 0.3 each for itself. Layers with experts take more: 61 of DeepSeek 83 ms for one token, 23 from
 * a graph (sgl-project/sglang, pull request 12160).
 */
const hostStart = 3e-4

/**
 * What a step of serving takes beside products and collectives. GPUs: one set for all stacks, round numbers at the least
 * log error of the rows kept for fitting (289 of TensorRT-LLM, vLLM and SGLang: Llama of 8B and 70B on 1 to 8 H100, H200 and
 * B200, 4 to 512 sequences). They leave half of the rows within 8 % and 90 % within 20 %; stacks differ from each other by as
 * much (vLLM 5 % slower, TensorRT-LLM 10 % and SGLang 8 % faster in the median), and have constants of their own (fixtures/stacks).
 * The times of a step and of its layers trade against each other: 0.5 to 1.5 ms and 35 to 48 us do nearly as well; a sequence takes 8 to
 * 10 us. Kernels that reduce over a node at once (570 times of SGLang's, TensorRT-LLM's and vLLM's own, 32 kB to 16 MB on 2 to 8 chips:
 * ai-dynamo/aiconfigurator @095f58a51c4c) take 3.5 us, half of it for a gather or scatter, and the bytes that reach half of the rate are
 * 0.22 of NCCL's.
 * TPUs: fit to the 15 rows of Qwen3-8B marked for fitting (SGLang-Jax on four v6e, 8 to 256 sequences of 1024 to 8192 positions), with what
 * its kernel of paged caches reaches of HBM; Qwen3-32B there and on TPU7x, which nothing was set on, is then at 0.86 to 1.1 where it was at 0.6
 * to 0.84. On a torus the catalogue's hops count.
 */
export function servingOverhead(tpu: boolean) {
  return {
    inferenceLayerOverheadSeconds: tpu ? 3e-5 : 4e-5,
    inferenceStepOverheadSeconds: 1e-3,
    inferenceLayerHostSeconds: tpu ? 0 : hostStart,
    inferenceSequenceOverheadSeconds: tpu ? 8e-6 : 1e-5,
    inferenceExpertLayerSeconds: tpu ? 0 : groupedStart,
    inferenceNarrowMatmulSeconds: tpu ? 0 : narrowStart,
    unpackedExpertFactor: tpu ? 1 : unpackedFactor,
    inferenceCollectiveSeconds: tpu ? 0 : 1.8e-6,
    inferenceHalfBytesShare: 0.22,
  }
}

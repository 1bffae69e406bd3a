/**
 * The commit of NVIDIA/TensorRT-LLM that names of `trtllm-serve` options were checked against; keys of its file are
 * those of 0004396 (fixtures/options/tensorrt-llm.json).
 */
export const tensorrtVersion = '029e223'

/** The commit of NVIDIA/TensorRT-LLM whose options of `trtllm-serve` names were checked against; keys of its file are of 0004396 (fixtures/options/tensorrt-llm.json). */
export const tensorrtVersion = '029e223'

/** The commit of NVIDIA/TensorRT-LLM whose options names were checked against (tensorrt_llm/commands/serve.py, 2026). */
export const tensorrtVersion = '00209af'

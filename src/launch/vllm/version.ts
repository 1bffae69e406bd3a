/** The commit of vllm-project/vllm that names were checked against (vllm/engine/arg_utils.py, 2026). */
export const vllmVersion = '99d7eb5'

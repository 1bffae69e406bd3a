/** The commit of vllm-project/vllm whose arguments names were checked against (vllm/engine/arg_utils.py, 2026). */
export const vllmVersion = '99d7eb5'

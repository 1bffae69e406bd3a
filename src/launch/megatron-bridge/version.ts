/** The release of NVIDIA-NeMo/Megatron-Bridge that names were checked against (scripts/training/run_recipe.py, and fields that its recipes set). */
export const bridgeVersion = 'v0.6.0'

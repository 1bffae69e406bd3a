/** The release of NVIDIA/Megatron-LM that names were checked against. */
export const megatronVersion = 'core_v0.19.0'

/** Older names of Megatron-LM's options that mean the same: for each, the name that we write. */
export const megatronSynonyms: Readonly<Record<string, string>> = {
  '--use-custom-fsdp': '--use-megatron-fsdp',
  '--fp8': '--fp8-format',
  '--encoder-seq-length': '--seq-length',
}

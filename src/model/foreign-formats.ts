/**
 * Formats of weights that no server here loads, by what a release's name says: its config.json has no types that they could be counted by. One repository
 * of GGUF has a file for each of many sizes, and vLLM runs them by a plugin of its own, "highly experimental and under-optimized"
 * (docs/features/quantization/gguf.md). MLX is Apple's, ExLlama's loaders are its own.
 */
interface ForeignFormat {
  readonly named: RegExp
  readonly is: string
}

const formats: readonly ForeignFormat[] = [
  {
    named: /(^|[-_./])gguf\b/i,
    is: 'files of llama.cpp (GGUF), each with another number of bits, for which times are not modelled',
  },
  {
    named: /^mlx-community\/|[-_.]mlx\b/i,
    is: "weights in MLX's format, for Apple's chips, which none of these servers loads",
  },
  {
    named: /[-_.]exl[23]\b/i,
    is: "weights in ExLlama's format, which none of these servers loads",
  },
]

/** What a release of that name has that cannot be planned; undefined where nothing is against it. */
export function foreignFormat(name: string): string | undefined {
  const written = name.slice(0, 200)
  return formats.find(({ named }) => named.test(written))?.is
}

/**
 * The release that a file names by its image or its package, where it is older than those that times are of. What is costed of mixtures of experts is
 * compared with runs of 1.1 to 1.3; in mid-2025 DeepSeek-R1 made 11 489 tokens a second on eight H200 and 43 146 on eight B200
 * (docs/source/blogs/Best_perf_practice_on_DeepSeek-R1_in_TensorRT-LLM.md, 1K in and 2K out), for which 1.4 to 1.7 times as many are predicted.
 */
const named = /(?:tensorrt-llm\/[\w-]+:v?|tensorrt[-_]llm==)(\d+)\.(\d+)/i

/** The first of the releases that times are of. */
const first = { major: 1, minor: 1 } as const

export function releaseNote(text: string | null): string | null {
  const [found, major, minor] = named.exec(text ?? '') ?? []
  if (found === undefined) return null
  const own = { major: Number(major), minor: Number(minor) }
  if (own.major > first.major || (own.major === first.major && own.minor >= first.minor)) return null
  return `TensorRT-LLM ${own.major}.${own.minor} is costed as releases since ${first.major}.${first.minor} run, of which mixtures of experts take down to 0.6 of the time`
}

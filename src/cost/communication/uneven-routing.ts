/**
 * How unevenly tokens fall on experts, and so on the chips that hold them. One law for training, prefill and generation:
 *
 *   popularity   of n equal parts of a layer's E experts, one is chosen with a coefficient of variation of u·√n: experts (n = E) among
 *                themselves, and chips (n = R). Log-normal; nothing is uneven where every token visits all, so that u² counts (1 - k/E) times
 *   visited      T tokens with k choices each visit E · mean over experts of 1 - (1 - q)^T, where q is an expert's share of tokens
 *   fullest      the largest of R chips, over their mean: popularity makes it e^(σ·z - σ²/2), with σ² = ln(1 + (1 - k/E)·(1 - 1/R)·u²·R), and the
 *                draws of T tokens (1 - V/9 + z·√V/3)³, as gamma numbers have it; what either adds is added in squares. z is the mean of the
 *                largest of R normal numbers
 *                of rows:    V = (1 - k/E) · (1 - 1/R) · R/(T·k)
 *                of visited: V = (1 - p) · (1 - 1/R) · R/(E·p), p of all; popular experts are on all chips, so that draws alone count
 *
 * One token is on k experts, and on one chip there is nobody to wait for; many tokens leave what u says. Draws are within a tenth of what is
 * counted when tokens choose at random (test/laws/cost/uneven-routing.test.ts).
 *
 * Source of the law: DeepSeek-R1 on 32 ranks of 8 experts, 58 layers, 4096 tokens a step (NVIDIA/TensorRT-LLM,
 * docs/source/blogs/tech_blog/blog4, table 1): the standard deviation is 1.28 of the mean by expert (u = 0.080) and 0.48 by rank (0.085), so
 * that it goes with √n. The fullest rank has 2.56 times the mean and the fullest expert 11.9, where 2.31 and 9.97 follow from these
 * deviations; of the layers listed one by one (3, 4, 5, 58, 59, 60) 1.50, 1.54, 1.46, 3.46, 1.72 and 2.12, where 1.43, 1.47, 1.49, 2.56, 1.86
 * and 1.98 do. z: expected values of normal order statistics (Harter, Biometrika 48, 1961); the cube: Wilson and Hilferty (PNAS 17, 1931).
 */
import { known } from '../../known.ts'
import { lasting } from '../../recent.ts'

/**
 * How unevenly experts are chosen by what is asked of a server: 0.080 for DeepSeek-R1 on a data set of translations (1.28 among 256 experts, all
 * layers: NVIDIA/TensorRT-LLM, docs/source/blogs/tech_blog/blog4, table 1), 0.044 for DeepSeek-V3 (0.70 among 16 of the 256 experts
 * of a layer: sgl-project/sglang#5524, counts of an expert distribution). Between both, by their geometric mean.
 */
export const servedUnevenness = 0.06

/** Experts alike in how many tokens choose them: their share of all, and the share of tokens that they get. */
export interface Alike {
  readonly ofExperts: number
  readonly ofTokens: number
}

export type Popularity = readonly Alike[]

/** Parts of a normal distribution, in standard deviations from its mean. */
const deviations = [-4, -3, -2, -1, 0, 1, 2, 3, 4]

const popularities = lasting<Popularity>(64)

/** `unevenness` is the u above. */
export function popularity(experts: number, choices: number, unevenness: number): Popularity {
  return known(popularities, `${experts} ${choices} ${unevenness}`, () =>
    spread(experts, choices, unevenness),
  )
}

function spread(experts: number, choices: number, unevenness: number): Popularity {
  const share = choices / experts
  const variance = (1 - share) * unevenness ** 2 * experts
  if (!(variance > 0)) return [{ ofExperts: 1, ofTokens: share }]
  const sigma = Math.sqrt(Math.log1p(variance))
  const weights = deviations.map((z) => Math.exp((-z * z) / 2))
  const all = weights.reduce((sum, weight) => sum + weight, 0)
  const chosen = deviations.map((z) => Math.exp(sigma * z))
  const within = (scale: number) => chosen.map((each) => Math.min(1, scale * each))
  const mean = (shares: readonly number[]) =>
    shares.reduce((sum, each, at) => sum + each * ((weights[at] ?? 0) / all), 0)
  // No expert is chosen by more than all tokens: the others have what is left.
  let [low, high] = [0, Math.exp(4 * sigma)]
  for (let halved = 0; halved < 60; halved++) {
    const middle = (low + high) / 2
    if (mean(within(middle)) < share) low = middle
    else high = middle
  }
  return within(high).map((ofTokens, at) => ({ ofExperts: (weights[at] ?? 0) / all, ofTokens }))
}

/** Share of experts that at least one of so many tokens visits. `spread` is experts over the slots that share out their tokens. */
export function visitedShare(popular: Popularity, tokens: number, spread = 1): number {
  let share = 0
  for (const { ofExperts, ofTokens } of popular) share += ofExperts * (1 - (1 - ofTokens * spread) ** tokens)
  return Math.min(1, share)
}

/** What the most popular of so many parts has over the mean, where popularity has the square root of `variance` as its coefficient of variation. */
export function mostPopular(variance: number, parts: number): number {
  const squared = Math.log1p(variance)
  return Math.exp(Math.sqrt(squared) * largestOf(parts) - squared / 2)
}

/** The same of what is drawn, so many parts alike. */
function mostDrawn(variance: number, parts: number): number {
  return Math.max(1, (1 - variance / 9 + (largestOf(parts) * Math.sqrt(variance)) / 3) ** 3)
}

/** Rows on the fullest of so many chips over the mean, of a step of so many tokens. */
export function fullestRows(
  { experts, choices, unevenness }: Routing,
  tokens: number,
  chips: number,
): number {
  const apart = (1 - choices / experts) * (1 - 1 / chips)
  const mean = (tokens * choices) / chips
  const popular = mostPopular(apart * unevenness ** 2 * chips, chips) - 1
  const drawn = mostDrawn(apart / mean, chips) - 1
  // Some chip has a row, and none has more of a token than it has experts.
  const most = Math.min(chips, experts / choices)
  return Math.min(most, Math.max(1 / mean, 1 + Math.hypot(popular, drawn)))
}

/** How tokens choose: u is the unevenness. */
export interface Routing {
  readonly experts: number
  readonly choices: number
  readonly unevenness: number
}

/**
 * Copies of the busiest experts, as a share of all, with which chips are as even as draws are: 32 of 256, placed by load, leave the fullest of 32
 * ranks 1.11 times the mean, where draws make it 1.06 (the same table). Fewer are taken to even out their share.
 */
const evenedBy = 1 / 8

export function evened(routing: Routing, copies: number): Routing {
  const left = Math.max(0, 1 - copies / (evenedBy * routing.experts))
  return { ...routing, unevenness: routing.unevenness * left }
}

/** Experts that have a token on the fullest of so many chips with `held` each, of which it is a share `visited` on the mean. */
export function fullestVisited(visited: number, held: number, chips: number): number {
  const variance = ((1 - visited) * (1 - 1 / chips)) / (held * visited)
  return Math.min(held, Math.max(1, held * visited * mostDrawn(variance, chips)))
}

/** Of 1, 2, 4 ... 1024 normal numbers, the mean of the largest. */
const largestOfPowers = [0, 0.5642, 1.0294, 1.4236, 1.766, 2.0697, 2.3437, 2.5945, 2.8269, 3.0443, 3.2491]

const largest = new Map<number, number>()

/** In between, and beyond, along a straight line over log2. */
function largestOf(parts: number): number {
  return known(largest, parts, () => {
    const power = Math.log2(parts)
    const from = Math.min(Math.floor(power), largestOfPowers.length - 2)
    const [low = 0, high = 0] = largestOfPowers.slice(from, from + 2)
    return low + (power - from) * (high - low)
  })
}

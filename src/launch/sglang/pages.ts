/**
 * Positions of a page of SGLang's caches, which --chunked-prefill-size has to be whole pages of, in each group of attention ("chunked_prefill_size
 * must be divisible by page_size"). A page has one position, but for
 *
 *   attention to pooled positions (dsv4)             256, whatever is asked for
 *   latent attention that chooses positions (dsa)     64, whatever is asked for; 1 on AMD without the kernels of AITER
 *   other attention on SM100 and SM103                64, by the kernels that it takes by default there (trtllm_mha, trtllm_mla)
 *
 * On SM120, of models with a recurrence and of latent attention that is not DeepSeek's, kernels by default are others, with pages of one position:
 * 64 are written there as well, and nothing is refused. Source: sgl-project/sglang 001067f, server_args.py (_handle_data_parallelism divides by
 * --dp-size, check_server_args asserts, _get_default_attn_backend); arg_groups/overrides.py (_deepseek_family_overrides, _deepseek_v4_overrides,
 * _mla_backend_page_constraints, _page_size_default).
 */
import type { Chip } from '../../hardware/chip.ts'
import { isAmd, isBlackwell, isWorkstation } from '../../hardware/vendor.ts'
import { type KnownModel, knownOf } from '../read/known-model.ts'
import type { Options } from '../read/options.ts'
import type { ReadingContext } from '../read/reading.ts'
import type { Serving } from '../server/serving.ts'

type PagedChip = Pick<Chip, 'name' | 'kin' | 'peakFlopsPerSecond'>

interface PageRow {
  readonly positions: number
  readonly has: (model: KnownModel, chip: PagedChip) => boolean
  /** Whether pages surely have so many positions. */
  readonly surely: (model: KnownModel, chip: PagedChip, options: Options) => boolean
}

const asked = '--page-size'

/** Options by which pages or the kernels that want them are others. */
const otherwise = [
  ...[asked, '--attention-backend', '--prefill-attention-backend', '--decode-attention-backend'],
  ...['--speculative-algorithm', '--speculative-algo'],
]

const rows: readonly PageRow[] = [
  { positions: 256, has: ({ pools = false }) => pools, surely: () => true },
  {
    positions: 64,
    has: ({ latent, chooses = false }) => latent && chooses,
    surely: (_, chip) => !isAmd(chip),
  },
  {
    positions: 64,
    has: (_, chip) => isBlackwell(chip),
    surely: ({ latent, recurrent }, chip, options) =>
      !latent && !recurrent && !isWorkstation(chip) && !options.has(...otherwise),
  },
]

export function pagesOf({ model, setting: { cluster } }: Serving): number {
  const known = knownOf(model)
  return rows.find(({ has }) => has(known, cluster.chip))?.positions ?? 1
}

/** Why SGLang does not start with a chunk of so many tokens over so many groups. */
export function pagesRefused(
  chunk: number,
  groups: number,
  options: Options,
  { model, chip }: ReadingContext,
): string | null {
  const { peakFlopsPerSecond } = chip ?? {}
  if (!model || !chip || !peakFlopsPerSecond || chunk <= 0) return null
  const own = { ...chip, peakFlopsPerSecond }
  const row = rows.find(({ has }) => has(model, own))
  const each = Math.floor(chunk / groups)
  const positions = row?.surely(model, own, options) ? row.positions : options.whole(asked)
  if (positions === null || each % positions === 0) return null
  const nearest = [Math.floor(each / positions), Math.ceil(each / positions)]
    .filter((pages) => pages > 0)
    .map((pages) => pages * positions * groups)
  const share = groups === 1 ? '' : `, which is ${each} for each of ${groups} groups,`
  return `SGLang does not start: --chunked-prefill-size ${chunk}${share} is no whole pages of ${positions} positions, which it keeps here; the nearest ${nearest.length === 1 ? 'is' : 'are'} ${nearest.join(' and ')}`
}

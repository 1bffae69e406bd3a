/**
 * How recipes cut their layers into stages, where a command says how many there are and no more. Source:
 * NVIDIA-NeMo/Megatron-Bridge v0.6.0, src/megatron/bridge/recipes/{llama/h100/llama3,qwen/h100/qwen3_moe,deepseek/h100/deepseek_v3,
 * kimi/h100/kimi_k2}.py.
 */
import { ownValue } from '../../fields.ts'
import { pipelineSettings } from '../megatron/pipeline.ts'
import { hasRecipe } from './recipes.ts'

const { layout, embedding, loss } = pipelineSettings.cuts.rows

/** Chunks of the model by `stages x virtual stages`, which the performance scripts look up. */
type Layouts = Readonly<Record<string, string>>

/** `more` is what the last chunk has beside layers. */
const dealt = (more: string): Layouts => {
  const [four, eight, sixteen] = [
    `Et*16|(t*16|)*2t*13${more}`,
    `Et*8|(t*8|)*6t*5${more}`,
    `Et*4|(t*4|)*14t${more}`,
  ]
  return { '4x1': four, '8x1': eight, '4x2': eight, '16x1': sixteen, '8x2': sixteen, '4x4': sixteen }
}

const kimi = dealt('L')

interface Cut {
  /** The embedding and the loss count as a layer each (account_for_*_in_pipeline_split). */
  readonly countsEnds?: boolean
  readonly layouts?: Layouts
}

const cuts: Readonly<Record<string, Cut>> = {
  llama31_405b: { countsEnds: true },
  qwen3_235b_a22b: { countsEnds: true },
  deepseek_v3: { layouts: dealt('mL') },
  moonlight_16b: { layouts: {} },
  olmoe_7b: { layouts: {} },
  kimi_k2: { layouts: { ...kimi, '2x8': kimi['4x4'] ?? '' } },
}

/** `looksUp` says whether the script is one of those that look a layout up. */
export function stagesOf(
  recipe: string,
  said: { readonly pipeline: string | undefined; readonly virtual: string | undefined },
  looksUp: boolean,
): readonly string[] {
  const { pipeline, virtual } = said
  const cut = cutOf(recipe)
  if (!cut || pipeline === undefined || pipeline === '1') return []
  if (cut.countsEnds) return [embedding.option, loss.option]
  const own = looksUp ? cut.layouts?.[`${pipeline}x${virtual ?? '1'}`] : undefined
  return own === undefined ? [] : [layout.option, own]
}

/** Whether a recipe may have a layout of its own, which is not here; those that are known and have none cut evenly. */
export function mayCut(recipe: string): boolean {
  return !hasRecipe(recipe) || cutOf(recipe)?.layouts !== undefined
}

function cutOf(recipe: string): Cut | undefined {
  return ownValue(cuts, recipe)
}

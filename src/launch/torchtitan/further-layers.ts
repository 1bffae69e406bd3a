/**
 * Layers that predict further tokens. The release has none. Main has them for DeepSeek-V3, where its registry asks for none
 * (`num_mtp_layers` 0 of deepseek_v3_671b): a config in Python may, without a pipeline and without context parallelism. Source: version.ts,
 * torchtitan/models/deepseek_v3/{__init__,mtp,config_registry}.py.
 */
import type { Rule } from '../../rules/rule.ts'
import type { MeshRun } from '../run/run.ts'
import { torchtitanFlavor } from './flavor.ts'

export const torchtitanFurtherLayers =
  'no config of torchtitan has layers that predict further tokens (one in Python may, of DeepSeek-V3 on main: num_mtp_layers)'

export const furtherLayersRules: readonly Rule<MeshRun>[] = [
  {
    broken: (run) => run.model.multiTokenLayers > 0 && !mainHasThem(run),
    says: 'torchtitan has layers that predict further tokens on main alone, for DeepSeek-V3 without a pipeline and context parallelism',
  },
  {
    broken: (run) => run.model.multiTokenLayers > 0 && mainHasThem(run),
    says: "layers that predict further tokens (num_mtp_layers in a config of torchtitan's main) are not written",
    unwritten: true,
  },
]

function mainHasThem(run: MeshRun): boolean {
  const { mesh, model } = run
  const isOwn = model.attention.latent !== null && torchtitanFlavor(run)?.known === true
  return isOwn && mesh.pipeline === 1 && mesh.context === 1
}

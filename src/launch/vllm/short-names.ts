/** Options of vLLM by other names for them: those of the settings, and of options that nothing reads. */
import { spellings } from '../settings/settings.ts'
import { vllmSettings } from './settings.ts'

export const shortNames = {
  ...spellings(vllmSettings),
  '-pcp': '--prefill-context-parallel-size',
  '-dpl': '--data-parallel-size-local',
  '-dpn': '--data-parallel-rank',
  '-dpr': '--data-parallel-start-rank',
  '-dpa': '--data-parallel-address',
  '-dpp': '--data-parallel-rpc-port',
  '-dpb': '--data-parallel-backend',
  '-dph': '--data-parallel-hybrid-lb',
  '-dpe': '--data-parallel-external-lb',
  '-dpm': '--data-parallel-multi-port-external-lb',
  '-n': '--nnodes',
  '-r': '--node-rank',
  '-sc': '--speculative-config',
  '-cc': '--compilation-config',
  '-ac': '--attention-config',
}

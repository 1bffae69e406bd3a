/** Options of vLLM that leave a plan as it is. */
import { beginningWith } from '../read/left-over.ts'
import { serverDoors } from '../server/immaterial.ts'
import { unread } from '../settings/settings.ts'
import { vllmSettings } from './settings.ts'

/** Prefixes of immaterial options: addresses, logs, formats of answers, hosts, and what only carries out other options. */
export const isImmaterial = beginningWith(
  `
  --seed --code- --disable-log --enable-log --uvicorn --ssl --enable-auto-tool --enable-reasoning --swap-
  --block-size --enforce-eager --compilation- -O --no-enable --enable-prefix --enable-chunked
  --max-seq-len-to --distributed- --nnodes --node- --master- --headless --data-parallel- --eplb-
  --async-scheduling --scheduling- --limit-mm --mm- --generation- --hf- --max-logprobs --stream-
  --attention-backend --moe-backend --linear-backend --cuda-graph --guided- --structured- --root-path
  -cc. --kv-offloading- --spec- --speculative-config --config-format --default-chat- --override-generation- --allowed- --media- --interleave-
  --language-model-only --video- --skip-mm --attention-config --kernel-config --enable-flashinfer- --ir-op- --mamba-backend
  --mamba-ssu- --gdn-prefill- --kda-prefill- --optimization-level --prefill-schedule- --scheduler-reserve- --numa-
  --enable-cumem- --enable-sleep- --enable-ep-weight- --safetensors- --model-loader- --ignore-patterns --use-tqdm
  --enable-prompt-tokens --enable-force- --enable-request-id --enable-server-load --disable-uvicorn --disable-access-
  --is-prefill-worker --is-decode-worker --disaggregation-mode --kv-events- --kv-cache-metrics --otlp- --collect- --jit- --shutdown- --logits-processor --disable-chunked-mm
`,
  serverDoors,
  ...unread(vllmSettings),
)

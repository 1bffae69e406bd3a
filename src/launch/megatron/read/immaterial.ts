/**
 * Prefixes of Megatron-LM options that affect neither the layout nor its cost as it is counted: learning rates, data,
 * logs, checkpoints, fusions that plans assume anyway, and those that only carry out what another option says. Source:
 * as flags.ts.
 */
import { beginningWith } from '../../read/left-over.ts'
import { unread } from '../../settings/settings.ts'
import { megatronSettings } from '../settings.ts'

export const isImmaterial = beginningWith(
  `
  --lr --min-lr --decoupled- --weight-decay --adam- --clip-grad --init-method --train- --eval- --exit-
  --data- --mock-data --split --tokenizer- --rampup-batch-size --vocab-file --merge-file --vocab-extra
  --tiktoken- --save --load --no-load- --no-save- --ckpt- --dist-ckpt- --async-save --finetune
  --use-dist-ckpt --log- --tensorboard- --wandb- --timing- --no-log- --profile --use-pytorch-profiler
  --use-mcore-models --distributed- --seed --num-workers --no-mmap-bin --no-create-attention-mask
  --dataloader-type --rotary- --yarn- --attention-softmax --attention-backend --use-flash-attn
  --no-masked-softmax-fusion --no-bias- --cross-entropy- --transformer-impl --manual-gc
  --empty-unused-memory --calculate-per-token-loss --no-position-embedding --moe-z-loss --moe-router-bias
  --moe-router-force-load-balancing --moe-router-fusion --moe-per-layer-logging --moe-deepep- --fp8-margin
  --fp8-interval --enable-experimental --fsdp-double-buffer --use-nccl-ub --DDP-impl --loss-scale
  --initial-loss-scale --overlap- --delay-grad-reduce --no-overlap-p2p --align-grad-reduce --tp-comm-
  --make-vocab-size --mtp-loss --override-opt --reset- --eod-mask-loss --high-priority-stream
  --cuda-graph- --te-rng-tracker --logging-level --auto-detect-ckpt --moe-router-padding --rerun-mode
  --record-memory-history --trust-remote-code --hierarchical-context-parallel- --offload-modules
  --min-offloaded-tensor-size --delta-offload-bytes --activation-offload-fraction
  --deterministic-mode --use-persistent-ckpt-worker --use-checkpoint- --no-use-tokenizer-model-from-
  --no-ckpt- --async-strategy --async-ckpt- --verify-integrity --check-weight-hash- --straggler-
  --fsdp-manual-registration --disable-gloo-process-groups --ddp-num-buckets --ddp-bucket-size
  --ddp-average-in-collective --ddp-pad-buckets- --muon-momentum --muon-extra-scale-factor --muon-scale-mode
  --error-injection- --apply-wd- --no-persist-layer-norm --use-flashinfer-fused-rope --fim- --test-mode --export-te-mcore-model
`,
  ...unread(megatronSettings),
)

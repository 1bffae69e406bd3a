/**
 * Prefixes of Megatron-LM options that affect neither the layout nor its cost as it is counted: learning rates, data,
 * logs, checkpoints, fusions that plans assume anyway, and those that only carry out what another option says. Source:
 * as flags.ts.
 */
import { beginningWith } from '../../read/left-over.ts'

export const isImmaterial = beginningWith(`
  --lr --min-lr --decoupled- --weight-decay --adam- --clip-grad --init-method --train- --eval- --exit-
  --data- --mock-data --split --tokenizer- --rampup-batch-size --vocab-file --merge-file --vocab-extra
  --tiktoken- --save --load --no-load- --no-save- --ckpt- --dist-ckpt- --async-save --finetune
  --use-dist-ckpt --log- --tensorboard- --wandb- --timing- --no-log- --profile --use-pytorch-profiler
  --use-mcore-models --distributed- --seed --num-workers --no-mmap-bin --no-create-attention-mask
  --dataloader-type --rotary- --use-rope-scaling --rope- --yarn- --normalization --norm-
  --apply-layernorm-1p --attention-softmax --attention-backend --use-flash-attn --qk-layernorm
  --add-qkv-bias --no-masked-softmax-fusion --no-bias- --no-rope-fusion --cross-entropy-
  --no-gradient-accumulation-fusion --transformer-impl --manual-gc --empty-unused-memory
  --calculate-per-token-loss --no-position-embedding --moe-router-load-balancing --moe-aux-loss --moe-z-loss
  --moe-router-score --moe-router-bias --moe-router-enable --moe-router-force-load-balancing
  --moe-router-dtype --moe-router-topk-scaling --moe-router-pre-softmax --moe-router-num-groups
  --moe-shared-expert-gate --mscale --no-yarn- --squared-relu --softmax-type --glu-linear-offset
  --activation-func-clamp --moe-grouped-gemm --moe-permute-fusion --moe-router-fusion
  --moe-per-layer-logging --moe-flex-dispatcher-backend --moe-deepep- --fp8-amax --fp8-margin --fp8-interval
  --fp8-recipe --fp4-recipe --enable-experimental --fsdp-double-buffer --use-nccl-ub --DDP-impl --loss-scale
  --initial-loss-scale --overlap- --delay-grad-reduce --no-overlap-p2p --align-grad-reduce --tp-comm-
  --use-precision-aware --init-model-with-meta --make-vocab-size --mtp-loss --override-opt
  --no-check-for-nan --reset- --eod-mask-loss --untie- --accumulate-allreduce --disable-bias --use-tp-pp-dp
  --high-priority-stream --cuda-graph- --moe-paged-stash --moe-expert-rank-capacity
  --moe-pad-experts-for-cuda-graph --moe-mlp-glu-interleave --use-transformer-engine-op-fuser
  --te-rng-tracker --delay-wgrad-compute --logging-level --auto-detect-ckpt --moe-router-padding --rerun-mode
  --record-memory-history --trust-remote-code --spec --is-hybrid-model --use-fused-weighted-squared-relu
`)

/** Fields and options of Megatron Bridge that do not affect the layout, by their prefixes, and short ones by their names. Source: overrides.ts, performance.ts. */
import { beginningWith, wordsOf } from '../read/left-over.ts'

const beginnings = beginningWith(`
  train.train_iters train.eval_ train.exit_ train.manual_gc model.moe_router_force optimizer.lr optimizer.min_lr
  optimizer.adam optimizer.weight_decay optimizer.clip_grad scheduler. checkpoint. logger. rng. tokenizer.
  validation. profiling. dataset. env_vars --max_step --lr --min_lr --warmup_iters --dataset_ --data_path --step
  --save --load --pretrained --dry --deterministic --dump --account --partition --container --srun --env
  --time --model_family --domain --hf_token --config_variant --enable_ --profiling_ --pytorch_profiler
  --record_memory --nsys_ --wandb --log_dir --detach --max_retries --nemo_home --distributed_timeout
  --custom_ --additional_slurm --kubeflow_ --use_recipes --lock_gpu --peak_mem --list_config --most_recent
  --packager --num_workers --vocab_size --tokenizer
  dist.distributed_timeout --offline --gres --preempt_time --csp --c4_ --index_mapping_dir --head_only --diffusion_dataset_path
  --export_nsys --is_long_convergence_run --retry_on_testing_failure --golden_values --timing_threshold --skip_first_percent
  --correlation_threshold --high_loss --medium_loss --low_loss --final_loss --max_outlier_ratio --outlier_threshold
  --memory_threshold --eval_time_
`)

const named = new Set(
  wordsOf(
    '--data --dataset --mode --gpu -ms -g -m -d -cv -en -vb -pyp -mh -lgc -lmc -nh -l -a -p -i -t -hf -wdk -wdp -wde -wdj -wds -E -cm -ce -cs -cb',
  ),
)

export function isImmaterial(said: string): boolean {
  return beginnings(said) || named.has(said.split(' ')[0] ?? '')
}

/** A launch file in place of a plan; the rest of the request may be left to the file. */
import { z } from 'zod'
import { serveSketch } from './given/serve-sketch.ts'
import { sketch } from './given/sketch.ts'
import { questionFields } from './optimize.ts'
import { ofOtherModes } from './other-modes.ts'

const longestText = 200_000

const written = z
  .string()
  .min(1, 'is empty: give the command, or the content of the file, as text')
  .max(longestText)

const text = (says: string) => written.optional().describe(says)

const words = z
  .array(z.string().max(10_000))
  .min(1)
  .max(5000)
  .refine((all) => all.some((word) => word.trim() !== ''), 'has no words')

/** A command as text, or as a list of words. */
const command = (says: string) => z.union([written, words]).optional().describe(says)

const config = z.record(z.string().max(200), z.unknown())

/** The text of a file, or its parsed content. */
const file = (says: string) => z.union([written, config]).optional().describe(says)

const launchedFields = {
  megatron: command(
    'The launch of Megatron-LM: a command line, a script, or a list of its words, such as `launch.megatron` of an answer.',
  ),
  megatronBridge: command(
    'The launch of a Megatron Bridge recipe: `run_recipe.py` with its overrides (`model.tensor_model_parallel_size=8`).',
  ),
  torchtitan: text(
    'A TOML config of torchtitan, such as `launch.torchtitan` of an answer, or its command line (`--module`, `--config` and dotted options).',
  ),
  maxtext: file(
    'A YAML config of MaxText, its keys as an object, such as `launch.maxtext` of an answer, or a command line (`key=value`).',
  ),
  deepspeed: file('A JSON config of DeepSpeed.'),
  accelerate: file("A YAML config of Hugging Face's accelerate (FSDP)."),
  vllm: command('`vllm serve …`, or its options, such as `launch.vllm` of an answer.'),
  sglang: command('`python -m sglang.launch_server …`, or its options.'),
  tensorrtLlm: file(
    '`trtllm-serve …`, the options of its config file, such as `launch.tensorrt-llm` of an answer, or both: `{"command": …, "config": …}`.',
  ),
}

/** The frameworks that are read, by their key in a plan. */
export const launchKeys: readonly string[] = Object.keys(launchedFields)

/** Fields of a written plan, which do not stand beside a launch file. */
const planKeys = [...new Set([sketch, serveSketch].flatMap(({ shape }) => Object.keys(shape)))]

const launchedPlan = z
  .strictObject(launchedFields)
  .refine((plan) => Object.values(plan).filter((own) => own !== undefined).length === 1, {
    message: 'has to name exactly one framework',
  })
  .describe('A launch file in place of a plan.')
  .register(ofOtherModes, {
    keys: planKeys.filter((key) => !launchKeys.includes(key)),
    says: 'does not go with a launch file, which says the whole plan: change the file itself, or leave the field out, and change the plan in read.request of the answer, which has the fields of the file and can be sent in its place',
  })

export type LaunchedPlan = z.output<typeof launchedPlan>

const left = z.exactOptional(z.unknown())

/** Left unvalidated here: the whole request is validated once what the file says is filled in. */
export const launchFields = {
  model: left,
  hardware: left,
  workload: left,
  memoryBudget: left,
  precision: left,
  constraints: left,
  assumptions: left,
  objective: left,
  top: left,
  distinct: left,
  timeoutMs: questionFields.timeoutMs,
  plan: launchedPlan,
}

/** Tells launch files by the key of the plan, so that faults come from the schema of the right kind. */
export function isLaunch(body: unknown): body is { readonly plan: LaunchedPlan } {
  const plan = typeof body === 'object' && body !== null && 'plan' in body ? body.plan : null
  return typeof plan === 'object' && plan !== null && launchKeys.some((key) => key in plan)
}

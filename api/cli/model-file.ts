/** A model's `config.json` beside the request: `--model path/config.json`, as it lies next to the weights on Hugging Face. */
import { changed } from '../hints/change.ts'
import { UsageError } from './usage-error.ts'

/** A model's name does not end so, and that of its config always does. */
const isFile = (model: string) => model.endsWith('.json')

/** The request with the config that `--model` names a file of; where it names a model, the request as it is. */
export function withModelFile(
  body: unknown,
  model: string | undefined,
  read: (file: string) => string,
): unknown {
  if (model === undefined || !isFile(model)) return body
  return changed(body, [{ pointer: '/model', value: { huggingFace: parsed(model, read(model)) } }])
}

function parsed(file: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new UsageError(`--model ${file} is not JSON: ${(error as Error).message}`)
  }
}

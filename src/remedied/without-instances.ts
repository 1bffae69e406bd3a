import type { InstanceSketch, ServeSketch } from '../problem.ts'

/** A deployment with its numbers of instances left open. */
export function withoutInstances({ prefill = {}, generate = {}, ...rest }: ServeSketch): ServeSketch {
  const open = ({ instances: _, ...own }: InstanceSketch) => own
  return { ...rest, prefill: open(prefill), generate: open(generate) }
}

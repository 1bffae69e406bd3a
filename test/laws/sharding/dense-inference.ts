/** Computes every array of a component's forward pass on one chip: its einsums one after another, without softmax. */
import { arrayOf, type Component } from '../../../src/sharding/component.ts'
import { results } from './dense-training.ts'
import { denseProduct, type SimulatedMesh, type Tensor, tensorSize } from './simulated-mesh.ts'

export function denseInference(mesh: SimulatedMesh, component: Component): ReadonlyMap<string, Tensor> {
  const tensors = new Map<string, Tensor>()
  const labelsOf = (name: string) => arrayOf(component, name).dimensions.map(({ label }) => label)
  const read = (name: string): Tensor => {
    const tensor = tensors.get(name)
    if (!tensor) throw new Error(`${name} is not there yet`)
    return tensor
  }
  const sum = (name: string, values: Float64Array) => {
    const before = tensors.get(name)?.values
    const after = values.map((value, at) => value + (before?.[at] ?? 0))
    tensors.set(name, { labels: labelsOf(name), values: after })
  }
  Object.keys(component.arrays).forEach((name, seed) => {
    if (results(component).has(name)) return
    const labels = labelsOf(name)
    const number = (at: number) => ((at * 5 + seed * 3 + (at % 7) * at) % 7) - 2
    const values = Float64Array.from({ length: tensorSize(mesh, labels) }, (_, at) => number(at))
    tensors.set(name, { labels, values })
  })
  for (const { out, left, right, kind } of component.einsums) {
    if (kind === 'reshard') sum(out, read(left).values)
    else sum(out, denseProduct(mesh, labelsOf(out), read(left), read(right)).values)
  }
  return tensors
}

/** Computes every array of a component's training step on one chip: its einsums forwards, then their transposes. */
import { arrayOf, type Component, type Einsum } from '../../../src/sharding/component.ts'
import { denseProduct, type SimulatedMesh, type Tensor, tensorSize } from './simulated-mesh.ts'

export type Tensors = ReadonlyMap<string, Tensor>

/** Labels of an array as an einsum reads it: the right operand's T is S where it holds keys or values. */
export function labelsIn(component: Component, einsum: Einsum, name: string): readonly string[] {
  const labels = ownLabels(component, name)
  return einsum.keys && name === einsum.right ? labels.map((label) => (label === 'T' ? 'S' : label)) : labels
}

export function ownLabels(component: Component, name: string): readonly string[] {
  return arrayOf(component, name).dimensions.map(({ label }) => label)
}

/** Results that no einsum reads: what the component hands on, and whose gradient it is given. */
export function outputs(component: Component): readonly string[] {
  const read = component.einsums.flatMap(({ left, right }) => [left, right])
  return [...results(component)].filter((name) => !read.includes(name))
}

export function results(component: Component): ReadonlySet<string> {
  return new Set(component.einsums.map(({ out }) => out))
}

export function denseTraining(mesh: SimulatedMesh, component: Component): Tensors {
  const tensors = new Map<string, Tensor>()
  const put = (name: string, labels: readonly string[], seed: number) => {
    const number = (at: number) => ((at * 5 + seed * 3 + (at % 7) * at) % 7) - 2
    const values = Float64Array.from({ length: tensorSize(mesh, labels) }, (_, at) => number(at))
    tensors.set(name, { labels, values })
  }
  const sum = (name: string, { values }: Tensor) => {
    const before = tensors.get(name)?.values
    const labels = ownLabels(component, component.arrays[name] ? name : name.slice(1))
    tensors.set(name, { labels, values: values.map((value, at) => value + (before?.[at] ?? 0)) })
  }
  const read = (name: string, labels: readonly string[]): Tensor => {
    const tensor = tensors.get(name)
    if (!tensor) throw new Error(`${name} is not there yet`)
    return { labels, values: tensor.values }
  }
  Object.keys(component.arrays).forEach((name, seed) => {
    if (!results(component).has(name)) put(name, ownLabels(component, name), seed)
  })
  for (const einsum of component.einsums) {
    const labels = (name: string) => labelsIn(component, einsum, name)
    const left = read(einsum.left, labels(einsum.left))
    if (einsum.kind === 'reshard') {
      sum(einsum.out, left)
      continue
    }
    const right = read(einsum.right, labels(einsum.right))
    sum(einsum.out, denseProduct(mesh, labels(einsum.out), left, right))
  }
  for (const name of outputs(component)) put(`d${name}`, ownLabels(component, name), 4)
  for (const einsum of [...component.einsums].reverse()) {
    const labels = (name: string) => labelsIn(component, einsum, name)
    const dOut = read(`d${einsum.out}`, labels(einsum.out))
    const transposed = (operand: string, other: string) =>
      sum(`d${operand}`, denseProduct(mesh, labels(operand), dOut, read(other, labels(other))))
    if (einsum.kind === 'reshard') {
      sum(`d${einsum.left}`, dOut)
      continue
    }
    transposed(einsum.left, einsum.right)
    if (einsum.kind !== 'route') transposed(einsum.right, einsum.left)
  }
  return tensors
}

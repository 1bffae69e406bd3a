/** Rules for an inference layout that somebody wrote, on a mesh that is legal itself. */
import { counted } from '../plan/explain/figures.ts'
import type { Mesh } from '../sharding/axis.ts'
import { copiesForOne, fieldsNamed, isMeant } from '../sharding/tables/inference-layout-fields.ts'
import { leftOut, type PartRule } from './part-rule.ts'

/** The layout of one component, as it is written. */
export interface ComponentRead {
  readonly mesh: Mesh
  readonly name: string
  readonly layout: string
  /** Names of the layouts that there are for each component of the model. */
  readonly offered: Readonly<Record<string, readonly string[]>>
}

export const componentRules: readonly PartRule<ComponentRead>[] = [
  {
    reads: ['layout'],
    broken: ({ name, offered }) => offered[name] === undefined,
    says: ({ offered }) => `is no component of this model, which has ${Object.keys(offered).join(', ')}`,
    pointer: ({ name }) => `/plan/layout/${name}`,
    nearest: ({ name }) => leftOut(`layout/${name}`),
  },
  {
    reads: ['layout'],
    broken: ({ name, layout, offered }) => offered[name]?.some((one) => isMeant(layout, one)) === false,
    says: ({ name, layout, offered }) =>
      `there is no layout ${layout} for ${name}; choose one of ${offered[name]?.join(', ')}`,
    pointer: ({ name }) => `/plan/layout/${name}`,
    nearest: ({ name }) => leftOut(`layout/${name}`),
  },
  {
    reads: ['mesh', 'layout'],
    broken: ({ mesh, layout }) => {
      const fields = fieldsNamed(layout)
      return fields !== null && copiesForOne(fields, mesh)
    },
    says: ({ layout, name }) =>
      `${layout} copies the weights of ${name} to groups of chips that have sequences of their own, and this mesh has one such group: 1d has them once`,
    pointer: ({ name }) => `/plan/layout/${name}`,
    nearest: ({ name }) => leftOut(`layout/${name}`),
  },
]

/** How a written plan passes sequences or prompts through the model, and the ways in which that can be done. */
export interface PassRead {
  /** Prompts in the workload; null in generation, where a plan may choose its batch. */
  readonly prompts: number | null
  readonly batchSequences: number | undefined
  readonly microbatches: number | undefined
  readonly microbatchTokens: number | undefined
  /** Possible splits into `units` microbatches of `tokens` each; empty if the mesh cannot be placed. */
  readonly ways: readonly { readonly units: number; readonly tokens: number }[]
}

export const passRules: readonly PartRule<PassRead>[] = [
  {
    reads: ['batchSequences'],
    broken: ({ prompts, batchSequences }) =>
      prompts !== null && batchSequences !== undefined && batchSequences !== prompts,
    says: ({ prompts, batchSequences }) =>
      `the workload has ${counted(prompts ?? 0, 'prompt')}, not ${batchSequences}`,
    pointer: '/plan/batchSequences',
    nearest: () => leftOut('batchSequences'),
  },
  {
    reads: ['mesh', 'microbatches'],
    broken: (read) => read.ways.length > 0 && inGroups(read).length === 0,
    says: ({ ways }) =>
      `this mesh and batch allow microbatches of ${distinct(ways.map(({ units }) => units)).join(', ')}`,
    pointer: '/plan/microbatches',
    nearest: ({ ways }) =>
      distinct(ways.map(({ units }) => units)).map((value) => [{ pointer: '/plan/microbatches', value }]),
  },
  {
    reads: ['mesh', 'microbatches', 'microbatchTokens'],
    broken: (read) => {
      const groups = inGroups(read)
      const { microbatchTokens } = read
      if (microbatchTokens === undefined || groups.length === 0) return false
      return !groups.some(({ tokens }) => tokens === microbatchTokens)
    },
    says: (read) =>
      `a microbatch can have ${distinct(inGroups(read).map(({ tokens }) => tokens)).join(', ')} tokens here`,
    pointer: '/plan/microbatchTokens',
    nearest: (read) =>
      distinct(inGroups(read).map(({ tokens }) => tokens)).map((value) => [
        { pointer: '/plan/microbatchTokens', value },
      ]),
  },
]

function inGroups({ ways, microbatches }: PassRead): PassRead['ways'] {
  return ways.filter(({ units }) => microbatches === undefined || units === microbatches)
}

function distinct(values: readonly number[]): readonly number[] {
  return [...new Set(values)].sort((a, b) => a - b)
}

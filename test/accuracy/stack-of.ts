/** Which stack of fixtures/stacks a published row ran under. */
import { readdirSync, readFileSync } from 'node:fs'
import { runsOn, type StackRecord } from '../../src/assumptions/stack.ts'

interface Software {
  readonly stack: string
  readonly chip: string
  readonly year: number
}

export function fittedBy(stack: StackRecord, { stack: software, chip, year }: Software): boolean {
  return (
    year >= (stack.fit.since ?? 2023) &&
    stack.fit.software.includes(software) &&
    runsOn(stack, { name: chip })
  )
}

/** Whether it may set the constants of a stack: of experts what runs on its own chips, of dense models on chips that are alike too. */
export function counts(stack: StackRecord, row: Software, ofExperts: boolean): boolean {
  if (ofExperts) return fittedBy(stack, row)
  const { alike = [] } = stack.fit
  return fittedBy({ ...stack, chips: [...stack.chips, ...alike] }, row)
}

const folder = new URL('../../fixtures/stacks/', import.meta.url)

export function publishedStacks(): readonly StackRecord[] {
  return readdirSync(folder)
    .sort()
    .map((file): StackRecord => JSON.parse(readFileSync(new URL(file, folder), 'utf8')))
}

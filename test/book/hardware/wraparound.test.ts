import type { Chip } from '../../../src/hardware/chip.ts'
import { wraparound } from '../../../src/hardware/cluster/slice.ts'
import { catalogueChip } from '../../catalogue.ts'
import { section } from '../case.ts'
import { sections } from '../coverage.ts'

const names: Readonly<Record<string, string>> = {
  v4p: 'tpu-v4',
  v5p: 'tpu-v5p',
  v5e: 'tpu-v5e',
  v6e: 'tpu-v6e',
}

section('slices and wraparound', (hold) => {
  for (const id of sections['slices and wraparound']) {
    hold(id, 'the axes of a slice close into rings as the book says', (_, { chip, topology }) => {
      const { system }: Chip = catalogueChip(names[String(chip)] ?? '', 'book')
      if (system.kind !== 'torus') throw new RangeError(`${String(chip)} is no torus`)
      return { wraparound: wraparound(system, topology as readonly number[]) }
    })
  }
})

/** `shardplan calibrate`: sets constants from one's own measured runs. */
import { calibrationReport } from '../../report/calibration.ts'
import { formatsOf, written } from '../formats.ts'
import { asking, type Desk, documentOf, examples, type Options } from './asking.ts'

const formats = formatsOf(calibrationReport)

export function calibrate(desk: Desk): void {
  const { world } = desk
  const says =
    'set cost constants on your own measured runs (runs: requests of evaluate with measuredStepSeconds)'
  asking(desk, { name: 'calibrate', alias: 'fit', says, formats, files: '[file]' })
    .addHelpText(
      'after',
      examples('calibrate runs.yaml', 'calibrate runs.yaml --set constants=["sustainedShare"]'),
    )
    .action(async (file: string | undefined, options: Options) => {
      const { body } = documentOf(world, file, options)
      const answer = await (await world.asker(options.server)).calibrate(body)
      world.out(written(formats, options.format)(answer, world.width))
    })
}

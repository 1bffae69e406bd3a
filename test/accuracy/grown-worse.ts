/** Finds what is worse in a report than in the record: errors of the classes, memory, order of layouts, and how much is compared. */
import type { Report } from './report.ts'

/** Figures are rounded to four places. */
const rounding = 2e-4

/** What `nineOfTenSeconds` of an answer says. */
const nineOfTen = 0.9

export function grownWorse(found: Report, recorded: Report): readonly string[] {
  const faults: string[] = []
  const atMost = (what: string, now: number | undefined, before: number) => {
    if (now === undefined) faults.push(`${what}: nothing is compared any more`)
    else if (!(now <= before + rounding)) faults.push(`${what}: ${now}, recorded ${before}`)
  }
  const held = { ...recorded.classes, ...recorded.stacks }
  const now = { ...found.classes, ...found.stacks }
  for (const [name, before] of Object.entries(held)) {
    atMost(`${name}, median error`, now[name]?.medianError, before.medianError)
    atMost(`${name}, nine of ten within`, now[name]?.ninetiethError, before.ninetiethError)
    const measurements = now[name]?.measurements ?? 0
    atMost(`${name}, measurements that are not compared`, -measurements, -before.measurements)
  }
  for (const [name, before] of Object.entries(recorded.memory.ratios)) {
    atMost(`memory of ${name}, median error`, found.memory.ratios[name]?.medianError, before.medianError)
  }
  atMost('runs that ran and are said not to fit', -found.memory.ran.fit, -recorded.memory.ran.fit)
  atMost('timed runs that are said not to fit', -found.memory.timed.fit, -recorded.memory.timed.fit)
  atMost('runs that ran out and are said to fit', found.memory.ranOut.fit, recorded.memory.ranOut.fit)
  for (const [name, before] of Object.entries(recorded.ranking)) {
    const order = found.ranking[name]
    atMost(`order of layouts, ${name}, 1 - tau`, order && 1 - order.meanTau, 1 - before.meanTau)
    atMost(`order of layouts, ${name}, median regret`, order?.medianRegret, before.medianRegret)
    atMost(`order of layouts, ${name}, worst regret`, order?.worstRegret, before.worstRegret)
  }
  for (const [mode, before] of Object.entries(recorded.certainty)) {
    const now = found.certainty[mode]
    // As one says what the other cannot: bands that are as wide as one likes hold everything.
    if (!(now && now.insideNineOfTen >= Math.min(nineOfTen, before.insideNineOfTen) - rounding))
      faults.push(
        `${mode}: nine of ten should lie in the bands, ${now?.insideNineOfTen} do; record them anew`,
      )
    atMost(`${mode}, upper over lower end of nine of ten`, now?.ratioOfEnds, before.ratioOfEnds)
  }
  return faults
}

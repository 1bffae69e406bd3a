/** GET /hardware and /hardware/{name}: the chips that are known by name, and their systems. */
import type { RequestHandler } from 'express'
import { type Catalogue, knownChip, nearestChips } from '../catalogue.ts'
import { unknownPath } from '../hints/unknown-name.ts'

export function hardwareListRoute({ chips }: Catalogue): RequestHandler {
  const answer = {
    hardware: [...chips.values()].map(({ name, title, kind, aliases, hbmBytes, peakFlopsPerSecond }) => ({
      name,
      title,
      kind,
      aliases,
      hbmBytes,
      peakFlopsPerSecond,
    })),
  }
  return (_request, response) => {
    response.json(answer)
  }
}

export function hardwareRoute(catalogue: Catalogue): RequestHandler<{ name: string }> {
  return ({ params: { name } }, response) => {
    const record = knownChip(catalogue, name)
    if (!record) throw unknownPath('chip', name, nearestChips(catalogue, name))
    response.json(record)
  }
}

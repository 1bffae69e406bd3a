/** Other names for the keys of a collective. */
import type { OtherNames } from '../name.ts'

export const collectiveKeys: OtherNames = {
  op: 'operation collective kind type',
  bytes: 'size messageSize sizeBytes volume numBytes',
  over: 'group axes ranks participants',
  groupSize: 'size ranks chips gpus n worldSize',
}

/** Other names for the keys of a collective. */
export const collectiveKeys: Readonly<Record<string, readonly string[]>> = {
  op: ['operation', 'collective', 'kind', 'type'],
  bytes: ['size', 'messageSize', 'sizeBytes', 'volume', 'numBytes'],
  over: ['group', 'axes', 'ranks', 'participants'],
  groupSize: ['size', 'ranks', 'chips', 'gpus', 'n', 'worldSize'],
}

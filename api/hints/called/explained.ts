/** Explanations for keys that no single key of ours replaces. */
import { namesIn } from '../name.ts'

const rows: readonly { readonly names: string; readonly says: string }[] = [
  {
    names: 'nodes numNodes nNodes nodeCount hosts numHosts servers gpusPerNode nprocPerNode',
    says: 'chips are counted, not nodes: /hardware/chips is the nodes times the chips of one, and the chip says how many a node has',
  },
  {
    names: `
      microBatchSize mbs perDeviceBatchSize perDeviceTrainBatchSize localBatchSize
      trainMicroBatchSizePerGpu batchPerGpu batchPerChip perChipBatchSize
    `,
    says: 'the size of a microbatch is chosen by the search: /constraints/microbatches pins how many a replica runs in a step, /plan/microbatchTokens how many tokens each has',
  },
  {
    names: 'sequenceParallel sequenceParallelism enableSequenceParallel',
    says: 'sequence parallelism beside tensor parallelism is always on; sequences are sharded further by the context axis',
  },
  {
    names: 'etp expertTensorParallelSize expertTensorParallel moeTensorParallelSize',
    says: 'experts are sharded over the tensor axis as all else is, and over the expert axis',
  },
  {
    names: 'require',
    says: 'requirements are held to a plan by /validate alone (shardplan check)',
  },
  {
    names: 'timeout timeoutSeconds deadline timeLimit maxTime',
    says: 'timeoutMs says it, in milliseconds',
  },
  {
    names: `
      lora qlora dora peft loraRank loraAlpha loraConfig peftConfig adapter adapters finetuning
      fineTuning finetune
    `,
    says: 'training is costed as training of all weights, with their gradients and optimizer states: adapters (LoRA) over frozen weights cannot be said',
  },
  {
    names: 'learningRate lr epochs steps trainSteps warmup seed temperature topP',
    says: 'it changes neither time nor memory of a step',
  },
]

export const explained = rows.map(({ names, says }) => ({ names: namesIn(names), says }))

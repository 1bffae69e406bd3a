/** Other names for keys about chips, networks and memory. */
import type { OtherNames } from '../name.ts'

export const hardwareKeys: OtherNames = {
  hardware: 'cluster system machine machines accelerators devices gpus tpus node infra',
  chip: `
    gpu gpus tpu tpus accelerator accelerators device gpuType gpuModel chipType acceleratorType deviceType
    tpuType name type model kind sku
  `,
  chips: `
    gpus gpu tpus tpu devices accelerators numGpus nGpus gpuCount numChips nChips chipCount numDevices
    deviceCount worldSize world count ranks size
  `,
  topology: 'torus tpuTopology sliceShape sliceTopology slice shape mesh physicalMesh dims',
  slices: 'numSlices nSlices pods numPods sliceCount',
  network: 'interconnect fabric networking bandwidth',
  scaleUpBytesPerSecondPerChip: 'nvlink nvlinkBandwidth ici iciBandwidth scaleUp intraNode',
  scaleOutBytesPerSecondPerChip: 'dcn dcnBandwidth scaleOut interNode',
  hbmBytes: 'hbm hbmCapacity memory memoryBytes vram hbmGb memoryGb',
  hbmBytesPerSecond: 'hbmBandwidth memoryBandwidth',
  nicGbps: 'nic gbps nicSpeed networkGbps ib infiniband ethernet rdma',
  networkBytesPerSecond: 'networkBandwidth nicBandwidth scaleOutBandwidth interNodeBandwidth',
  usdPerHour: 'price cost costPerHour pricePerHour hourlyPrice dollarsPerHour usd rate',
  memoryBudget: `
    memory memoryPerChip memoryPerGpu memoryLimit maxMemory budget hbm hbmBudget vram gpuMemory
    gpuMemoryUtilization memFractionStatic memFraction memoryFraction memoryGb hbmGb
  `,
  bytesPerChip: 'bytes perChip bytesPerGpu bytesPerDevice gb gib gigabytes memory hbm size',
  fraction: 'share utilization gpuMemoryUtilization memFractionStatic percent ratio',
}

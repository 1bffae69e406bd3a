/** Training of mixtures of experts. */
import { fp8, million, on, type Question, trains } from './asked.ts'

const h100 = (chips: number) => on('h100-sxm', chips)

export const experts: readonly Question[] = [
  trains('Mixtral 8x7B on 64 H100', 'mixtral-8x7b', h100(64), 1024 * 4096, 4096),
  trains('Qwen3 30B-A3B on 16 H100', 'qwen3-30b-a3b', h100(16), 1024 * 4096, 4096),
  trains('Qwen3 235B-A22B on 256 H100', 'qwen3-235b-a22b', h100(256), 2048 * 4096, 4096),
  trains('DeepSeek-V3 on 2048 H800, fp8', 'deepseek-v3', on('h800-sxm', 2048), 15_360 * 4096, 4096, fp8),
  trains('DeepSeek-V3 on 256 GB200, fp8', 'deepseek-v3', on('gb200-nvl72', 256), 4096 * 4096, 4096, fp8),
  trains('gpt-oss-120b on 64 GB200', 'gpt-oss-120b', on('gb200-nvl72', 64), 1280 * 4096, 4096),
  trains('DeepSeek-V3 on 1024 H100, fp8', 'deepseek-v3', h100(1024), 8192 * 4096, 4096, fp8),
  trains('DeepSeek-V2 on 128 H100', 'deepseek-v2', h100(128), 1024 * 4096, 4096),
  trains('DeepSeek-V2-Lite on 8 H100', 'deepseek-v2-lite', h100(8), 512 * 4096, 4096),
  trains('Mixtral 8x22B on 128 H100', 'mixtral-8x22b', h100(128), 256 * 4096, 4096),
  trains('Qwen3 30B-A3B on 8 H100', 'qwen3-30b-a3b', h100(8), 512 * 4096, 4096),
  trains('Qwen3 235B-A22B on 64 GB200', 'qwen3-235b-a22b', on('gb200-nvl72', 64), 1024 * 4096, 4096),
  trains('Llama 4 Scout on 64 H100', 'llama-4-scout', h100(64), 512 * 8192, 8192),
  trains('Llama 4 Maverick on 512 H100', 'llama-4-maverick', h100(512), 1024 * 8192, 8192),
  trains('gpt-oss-20b on 8 H100', 'gpt-oss-20b', h100(8), 512 * 4096, 4096),
  trains('gpt-oss-120b on 64 H100', 'gpt-oss-120b', h100(64), 1280 * 4096, 4096),
  trains('GLM 4.5 Air on 64 H100', 'glm-4.5-air', h100(64), 1024 * 4096, 4096),
  trains('Kimi K2 on 1024 H800', 'kimi-k2', on('h800-sxm', 1024), 16 * million, 4096),
  trains('OLMoE on 256 H100', 'olmoe-1b-7b', h100(256), 1024 * 4096, 4096),
  trains('Mixtral 8x7B on 128 v5p', 'mixtral-8x7b', on('tpu-v5p', [4, 4, 8]), 4 * million, 4096),
  trains('Qwen3 30B-A3B on 64 v6e', 'qwen3-30b-a3b', on('tpu-v6e', 64), 4 * million, 4096),
]

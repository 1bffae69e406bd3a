/** Other names for a model's dimensions. */
import type { OtherNames } from '../name.ts'

export const modelKeys: OtherNames = {
  model: 'llm modelName modelId architecture transformer arch name',
  huggingFace: 'hf huggingface hfConfig config configJson',
  layers: 'numLayers nLayers nLayer numHiddenLayers depth blocks l',
  dModel: 'hiddenSize hidden dim dimModel modelDim embedDim nEmbd width d embeddingSize',
  dFf: 'intermediateSize ffnHiddenSize ffnDim ffDim mlpDim hiddenDim feedForward ffn f',
  heads: 'numHeads nHeads nHead numAttentionHeads attentionHeads queryHeads numQueryHeads',
  kvHeads: 'numKvHeads nKvHeads numKeyValueHeads keyValueHeads numQueryGroups queryGroups groups',
  headDim: 'dHead headSize kvChannels dimHead headDimension',
  vocab: 'vocabSize vocabulary vocabularySize nVocab paddedVocabSize v',
  gatedMlp: 'swiglu geglu glu gated gatedLinearUnit',
  tiedEmbeddings: 'tieWordEmbeddings tied tieEmbeddings weightTying shareEmbeddings',
  moe: 'mixture mixtureOfExperts expertConfig moeConfig',
  experts: 'numExperts nExperts numLocalExperts nRoutedExperts routedExperts expertCount',
  activeExperts: 'topK routerTopK moeRouterTopk expertsPerToken numExpertsPerTok active k',
  sharedExperts: 'nSharedExperts numSharedExperts shared',
  dFfExpert: 'moeIntermediateSize moeFfnHiddenSize expertDim expertWidth dFf intermediateSize',
  denseLayers: 'firstKDenseReplace numDenseLayers firstDense nDenseLayers',
  window: 'slidingWindow windowSize localWindow attentionWindow',
  maxSequenceLength: 'maxPositionEmbeddings maxSeqLen contextLength maxLength',
  queryRank: 'qLoraRank',
  keyValueRank: 'kvLoraRank',
  nopeHeadDim: 'qkNopeHeadDim',
  ropeHeadDim: 'qkRopeHeadDim',
  valueHeadDim: 'vHeadDim',
}

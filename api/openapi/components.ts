/** Schemas of requests and answers as components of the OpenAPI document: requests as they may be sent, answers as they come. */
import { z } from 'zod'
import { inferenceEvaluation, serveEvaluation, trainingEvaluation } from '../schemas/answer/evaluation.ts'
import { inferenceAnswer, paretoPoint } from '../schemas/answer/inference-answer.ts'
import { inferencePlan } from '../schemas/answer/inference-plan.ts'
import { plan } from '../schemas/answer/plan.ts'
import { serveAnswer } from '../schemas/answer/serve-answer.ts'
import { phasePlan, servePlan } from '../schemas/answer/serve-plan.ts'
import { trainingAnswer } from '../schemas/answer/training-answer.ts'
import { calibrateRequest, calibrateResponse } from '../schemas/calibrate.ts'
import { chipList, chipRecord, modelEntry, modelList, stackList, stackRecord } from '../schemas/catalogue.ts'
import { collectiveRequest, collectiveResponse } from '../schemas/collective.ts'
import { compareRequest, compareResponse, serveComparison, stepComparison } from '../schemas/compare.ts'
import {
  evaluateLaunchRequest,
  evaluateRequest,
  evaluateResponse,
  evaluateServeRequest,
} from '../schemas/evaluate.ts'
import { assumptions, assumptionsRequest } from '../schemas/given/assumptions.ts'
import { cluster } from '../schemas/given/cluster.ts'
import { constraints } from '../schemas/given/constraint.ts'
import { hardwareRequest } from '../schemas/given/hardware.ts'
import { memoryBudget } from '../schemas/given/memory-budget.ts'
import { modelRequest } from '../schemas/given/model.ts'
import { precision } from '../schemas/given/precision.ts'
import { serveSketch } from '../schemas/given/serve-sketch.ts'
import { sketch } from '../schemas/given/sketch.ts'
import { optimizeRequest, optimizeResponse } from '../schemas/optimize.ts'
import { problemDocument } from '../schemas/problem.ts'
import {
  inferenceValidation,
  serveValidation,
  trainingValidation,
  validateLaunchRequest,
  validateRequest,
  validateResponse,
  validateServeRequest,
} from '../schemas/validate.ts'
import { generateWorkload } from '../schemas/workload/generate-workload.ts'
import { prefillWorkload } from '../schemas/workload/prefill-workload.ts'
import { serveWorkload } from '../schemas/workload/serve-workload.ts'
import { servedSpeculative, speculative } from '../schemas/workload/speculative.ts'
import { trainWorkload } from '../schemas/workload/train-workload.ts'
import { workload } from '../schemas/workload/workload.ts'

export type JsonSchema = Readonly<Record<string, unknown>>

const requests = {
  AssumptionsRequest: assumptionsRequest,
  CalibrateRequest: calibrateRequest,
  CollectiveRequest: collectiveRequest,
  CompareRequest: compareRequest,
  Constraints: constraints,
  EvaluateLaunchRequest: evaluateLaunchRequest,
  EvaluateRequest: evaluateRequest,
  EvaluateServeRequest: evaluateServeRequest,
  GenerateWorkload: generateWorkload,
  HardwareRequest: hardwareRequest,
  MemoryBudget: memoryBudget,
  ModelRequest: modelRequest,
  OptimizeRequest: optimizeRequest,
  PlanSketch: sketch,
  Precision: precision,
  PrefillWorkload: prefillWorkload,
  ServeSketch: serveSketch,
  ServeWorkload: serveWorkload,
  ServedSpeculative: servedSpeculative,
  Speculative: speculative,
  TrainWorkload: trainWorkload,
  ValidateLaunchRequest: validateLaunchRequest,
  ValidateRequest: validateRequest,
  ValidateServeRequest: validateServeRequest,
  Workload: workload,
}

const answers = {
  Assumptions: assumptions,
  Chip: chipRecord,
  ChipList: chipList,
  Cluster: cluster,
  CalibrateResponse: calibrateResponse,
  CollectiveResponse: collectiveResponse,
  CompareResponse: compareResponse,
  EvaluateResponse: evaluateResponse,
  InferenceAnswer: inferenceAnswer,
  InferenceEvaluation: inferenceEvaluation,
  InferencePlan: inferencePlan,
  Model: modelEntry,
  ModelList: modelList,
  OptimizeResponse: optimizeResponse,
  ParetoPoint: paretoPoint,
  PhasePlan: phasePlan,
  Plan: plan,
  Problem: problemDocument,
  ServeAnswer: serveAnswer,
  ServeComparison: serveComparison,
  ServeEvaluation: serveEvaluation,
  ServePlan: servePlan,
  ServeValidation: serveValidation,
  Stack: stackRecord,
  StackList: stackList,
  StepComparison: stepComparison,
  TrainingAnswer: trainingAnswer,
  TrainingEvaluation: trainingEvaluation,
  TrainingValidation: trainingValidation,
  InferenceValidation: inferenceValidation,
  ValidateResponse: validateResponse,
}

export type ComponentName = keyof typeof requests | keyof typeof answers

export function componentSchemas(): Readonly<Record<string, JsonSchema>> {
  return { ...schemasOf(requests, 'input'), ...schemasOf(answers, 'output') }
}

export function schemaReference(name: ComponentName): JsonSchema {
  return { $ref: `#/components/schemas/${name}` }
}

function schemasOf(named: Readonly<Record<string, z.ZodType>>, io: 'input' | 'output') {
  const registry = z.registry<{ id: string }>()
  for (const [id, schema] of Object.entries(named)) registry.add(schema, { id })
  const { schemas } = z.toJSONSchema(registry, {
    io,
    uri: (id) => `#/components/schemas/${id}`,
    override: ({ jsonSchema }) => {
      // Answers may get more fields than are listed; only requests reject unknown ones.
      if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
    },
  })
  return Object.fromEntries(
    Object.entries(schemas).map(([id, { $schema: _dialect, $id: _uri, ...schema }]) => [id, schema]),
  )
}

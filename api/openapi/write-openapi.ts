/** Writes openapi.yaml, as GET /openapi.yaml answers it. */
import { writeFileSync } from 'node:fs'
import { loadExamples } from '../examples.ts'
import { root } from '../root.ts'
import { openApiDocument } from './document.ts'
import { openApiYaml } from './yaml.ts'

writeFileSync(new URL('openapi.yaml', root), openApiYaml(openApiDocument(loadExamples())))

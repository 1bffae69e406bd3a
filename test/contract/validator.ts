import type { Response } from 'supertest'
import { expect } from 'vitest'
import { faultsByDocument } from './documented.ts'

export function expectAsDocumented(method: 'get' | 'post', path: string, response: Response): void {
  expect(faultsByDocument(method, path, response)).toEqual([])
}

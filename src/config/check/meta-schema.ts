import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Ajv2020, Options, ValidateFunction } from 'ajv/dist/2020.js'
import { targetOf } from '../read/pointer.ts'
import { isRecord } from '../read/tree.ts'
import { regexp } from './formats.ts'
import type { ErrorObject } from './schema.ts'

const OPTIONS: Options = { meta: false, strict: false, validateSchema: false, logger: false, code: { optimize: false } }

/** Loaded for the first tool that has parameters. */
function newAjv(options: Options): Ajv2020 {
  const { Ajv2020 }: typeof import('ajv/dist/2020.js') = createRequire(import.meta.url)('ajv/dist/2020.js')
  return new Ajv2020(options)
}

// Compiled for the first tool that has parameters: no other start need wait.
let validate: ValidateFunction | undefined

/** What JSON Schema has against a schema. */
export function errorsInSchema(schema: unknown): readonly ErrorObject[] {
  validate ??= compileMeta()
  return validate(schema) ? [] : (validate.errors ?? [])
}

/** Whether ajv can hold anything against a schema. */
export function compiles(schema: unknown): boolean {
  try {
    newAjv({ ...OPTIONS, validateFormats: false }).compile(isRecord(schema) ? schema : {})
    return true
  } catch {
    // What it says may hold values of variables.
    return false
  }
}

function compileMeta(): ValidateFunction {
  const ajv = newAjv({ ...OPTIONS, allErrors: true, verbose: true, messages: false })
  ajv.addFormat('x-regexp', { type: 'string', validate: (text: string) => regexp.read(text) !== undefined })
  ajv.addKeyword({
    keyword: 'x-pointer',
    type: 'string',
    errors: false,
    validate: (_: unknown, pointer: string, __: unknown, at?: { readonly rootData: unknown }) =>
      isSchema(targetOf(pointer, at?.rootData)),
  })
  // src/config and dist/config lie equally deep in the package.
  const path = new URL('../../../schema/parameters.schema.json', import.meta.url)
  return ajv.compile(JSON.parse(readFileSync(path, 'utf8')))
}

const isSchema = (data: unknown): boolean => isRecord(data) || typeof data === 'boolean'

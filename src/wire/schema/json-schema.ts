import { type AnyField, type AnySchema, type Fields, schemaIn } from './schema.ts'

/** A schema in the words of JSON Schema 2020-12. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** How a schema is written out. */
export interface Writing {
  /** The reference to a record that has a name; undefined writes it out in place. */
  readonly refer?: (name: string, written: () => JsonSchema) => JsonSchema
  /** Whether the text for people is what a refusal says; else it is the description. */
  readonly forRefusals?: true
}

/** Writes a schema in JSON Schema. */
export function jsonSchemaOf(schema: AnySchema, writing: Writing = {}): JsonSchema {
  if (schema.kind !== 'record' || schema.name === undefined || !writing.refer) return written(schema, writing)
  const { name, here } = schema
  const reference = writing.refer(name, () => written(schema, writing))
  return here === undefined ? reference : { ...reference, description: here }
}

/** The schema for checking bodies: its description of a field is the refusal. */
export const checkOf = (schema: AnySchema): JsonSchema => jsonSchemaOf(schema, { forRefusals: true })

/** The properties of a record, and which of them are always there. */
export const propertiesOf = (fields: Fields, writing: Writing, isRequest = false) => ({
  properties: Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, fieldSchema(field, writing, isRequest)]),
  ),
  required: Object.entries(fields).flatMap(([name, field]) => (isAlwaysThere(field, isRequest) ? [name] : [])),
})

/** Who asks may leave a field with a default out; who answers now always sends it. */
const isAlwaysThere = (field: AnyField, isRequest: boolean): boolean =>
  !('presence' in field) || (field.presence === 'defaulted' && !isRequest)

function fieldSchema(field: AnyField, writing: Writing, isRequest: boolean): JsonSchema {
  const schema = jsonSchemaOf(schemaIn(field), writing)
  return isRequest && 'fallback' in field ? { ...schema, default: field.fallback } : schema
}

function written(schema: AnySchema, writing: Writing): JsonSchema {
  const says = descriptionOf(schema, writing)
  return { ...bare(schema, writing), ...(says !== undefined && { description: says }) }
}

const descriptionOf = (schema: AnySchema, { forRefusals }: Writing): string | undefined => {
  if (forRefusals) return ruleOf(schema)
  if (schema.kind !== 'forms') return schema.description
  return schema.forms.map(form => ('here' in form ? form.here : undefined) ?? form.description).find(Boolean)
}

const ruleOf = (schema: AnySchema): string | undefined =>
  schema.kind === 'forms' ? schema.forms.map(ruleOf).find(Boolean) : 'rule' in schema ? schema.rule : undefined

function bare(schema: AnySchema, writing: Writing): JsonSchema {
  switch (schema.kind) {
    case 'text':
      return given({
        type: 'string',
        minLength: schema.least,
        maxLength: schema.most,
        pattern: schema.pattern,
        format: writing.forRefusals ? undefined : schema.format,
      })
    case 'whole':
      return given({ type: 'integer', minimum: schema.least, maximum: schema.most })
    case 'number':
      return { type: 'number' }
    case 'flag':
      return { type: 'boolean' }
    case 'nothing':
      return { type: 'null' }
    case 'object':
      return { type: 'object' }
    case 'any':
      return {}
    case 'word':
      return { enum: schema.among }
    case 'constant':
      return { const: schema.value }
    case 'list':
      return given({
        type: 'array',
        minItems: schema.least,
        maxItems: schema.most,
        uniqueItems: schema.isUnique,
        items: jsonSchemaOf(schema.item, writing),
      })
    case 'map':
      return given({
        type: 'object',
        maxProperties: schema.most,
        propertyNames: schema.names && jsonSchemaOf(schema.names, writing),
        additionalProperties: jsonSchemaOf(schema.value, writing),
      })
    case 'record':
      return recordSchema(schema, writing)
    case 'cases':
      return { oneOf: [...new Set(Object.values(schema.cases))].map(each => jsonSchemaOf(each, writing)) }
    case 'forms':
      return formsSchema(schema.forms, writing)
  }
}

function recordSchema(schema: Extract<AnySchema, { readonly kind: 'record' }>, writing: Writing): JsonSchema {
  const { properties, required } = propertiesOf(schema.fields, writing, schema.isClosed)
  return given({
    type: 'object',
    required: required.length > 0 ? required : undefined,
    properties,
    dependentRequired: schema.together,
    additionalProperties: schema.isClosed ? false : schema.isOpen,
  })
}

/** Keywords are for one type each, so that forms of different types are one schema with all of theirs. */
function formsSchema(forms: readonly AnySchema[], writing: Writing): JsonSchema {
  const all = forms.map(form => ({ ...jsonSchemaOf(form, writing), description: undefined }))
  const types = all.map(each => ('type' in each ? each.type : undefined))
  if (types.every(type => typeof type === 'string')) return given(Object.assign({}, ...all, { type: types }))
  const words = forms.map(form => (form.kind === 'word' ? form.among : form.kind === 'nothing' ? [null] : undefined))
  if (words.every(each => each !== undefined)) return { enum: words.flat() }
  return { anyOf: all.map(given) }
}

const given = (schema: JsonSchema): JsonSchema =>
  Object.fromEntries(Object.entries(schema).filter(([, value]) => value !== undefined))

import { type Fields, fields } from '../model/conversation.ts'

/** Who published a document. */
export type Maker = 'openai' | 'anthropic'

/** The schemas of a document, with what is wrong in it put right: each entry says how it is known. */
export function corrected(maker: Maker, schemas: Fields): Fields {
  const texts = JSON.stringify(schemas)
  const copy = walked(JSON.parse(texts), maker)
  for (const correct of CORRECTIONS[maker]) correct(copy)
  return copy
}

type Schemas = Record<string, Record<string, unknown>>

const CORRECTIONS: Readonly<Record<Maker, readonly ((schemas: Schemas) => void)[]>> = {
  openai: [
    // `encoding_format: base64` is in the same document.
    ({ Embedding }) => widen(Embedding, 'embedding', { type: 'string' }),
    // The examples of streams in the same document have `usage: null` until the end.
    ({ Response }) => widen(Response?.allOf, 'usage', { type: 'null' }),
    // OpenAI answers with null where the request had none; later editions of the document say so.
    ({ ModelResponseProperties }) => widen(ModelResponseProperties, 'safety_identifier', { type: 'null' }),
    ({ ModelResponseProperties }) => widen(ModelResponseProperties, 'prompt_cache_key', { type: 'null' }),
    // Custom tools are in the same document, in requests and in whole answers: of chunks it says functions only.
    ({ ChatCompletionMessageToolCallChunk }) =>
      widen(ChatCompletionMessageToolCallChunk, 'type', { type: 'string', enum: ['custom'] }),
  ],
  anthropic: [],
}

/** Lets a property be something else as well. */
function widen(schema: unknown, name: string, other: Fields): void {
  const parts = [schema].flat().map(part => fields(part).properties as Record<string, unknown> | undefined)
  const properties = parts.find(part => part && name in part)
  if (!properties) throw new Error(`the schema has no ${name}`)
  properties[name] = { anyOf: [properties[name], other] }
}

function walked(value: unknown, maker: Maker): Schemas {
  return mapped(value, maker) as Schemas
}

function mapped(value: unknown, maker: Maker): unknown {
  if (Array.isArray(value)) return value.map(entry => mapped(entry, maker))
  if (typeof value !== 'object' || value === null) return value
  const node = Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, mapped(entry, maker)]))
  return nullableToo(maker === 'anthropic' ? withoutDefaults(node) : node)
}

/** `nullable` is of OpenAPI 3.0; in 3.1, which both documents say they are, it has no meaning. */
function nullableToo(node: Fields): Fields {
  const { nullable, ...rest } = node
  return nullable === true ? { anyOf: [rest, { type: 'null' }] } : node
}

/** Anthropic requires fields that have a default, and its own examples leave them out. */
function withoutDefaults(node: Fields): Fields {
  const { required, properties } = node
  if (!Array.isArray(required) || properties === undefined) return node
  return {
    ...node,
    required: required.filter(name => !('default' in fields(fields(properties)[name])) || name === 'type'),
  }
}

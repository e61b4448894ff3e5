import type { AnySchemaObject } from 'ajv/dist/2020.js'
import { isField } from '../check/messages.ts'
import { branchesOf, configSchema, type Field, fields, follow, kindOf } from '../model/schema.ts'
import { meant } from '../model/suggest.ts'
import { exampleOf, type Type, typeOf } from './type.ts'

/** The schema's documentation of a field, for people and programs. */
export interface FieldDoc extends Type {
  /** `plans.<name>.rpm`; empty for the whole file. */
  readonly field: string
  /** The kinds of models or hosted tools that have it; empty outside of both. */
  readonly kinds: readonly string[]
  readonly description: string
  readonly required: boolean
  readonly default: unknown
  /** A piece of a configuration file that sets it. */
  readonly example: unknown
  readonly fields: readonly FieldLine[]
}

/** One of the fields below. */
export interface FieldLine {
  readonly name: string
  /** The kinds of models or hosted tools that have it, where not all do. */
  readonly kinds: readonly string[]
  readonly required: boolean
  readonly default: unknown
  /** Its first sentence. */
  readonly description: string
}

/** The answer for a name that is no field. */
export interface Unknown {
  readonly unknown: string
  readonly hint: string
}

/**
 * The documentation of a field as a user writes it, `plans.rpm`, `plans.*.rpm` or `plans.pro.rpm`: one for each kind of
 * model or tool that differs.
 */
export function docsOf(asked: string): readonly FieldDoc[] | Unknown {
  const steps = stepsOf(asked)
  if (steps.length === 0) return [top()]
  // A name may be that of a field too: `pools.<name>.provider.cap` is no `cap` of a pool called `provider`.
  const exact = fields.filter(({ path }) => stepsOf(path).join('.') === steps.join('.'))
  const found = exact.length > 0 ? exact : fields.filter(field => isAt(field.path.split('.'), steps))
  if (found.length > 0) return grouped(found.map(docOf))
  const [name = ''] = steps.slice(-1)
  const above = fields.filter(field => isAt(field.path.split('.'), steps.slice(0, -1)))
  const around = fields.filter(({ path, schema }) =>
    isAt(entryOf(schema) ? `${path}.<name>`.split('.') : path.split('.'), steps.slice(0, -1)),
  )
  const known = namesBelow(around.map(({ schema }) => schema))
  const maps = above.filter(({ schema }) => entryOf(schema))
  // A name that resembles no field is taken for a name of the operator's choice.
  if (maps.length > 0 && meant(name, known) === undefined && !isField(name, fields)) return grouped(maps.map(docOf))
  return { unknown: asked, hint: hintFor(steps, around.length > 0 || steps.length === 1 ? known : undefined) }
}

/** The steps of a path without placeholders for names and positions; nested conditions have the fields of one. */
function stepsOf(asked: string): readonly string[] {
  const named = asked.replace(/\[\d*\]/g, '').split('.')
  const steps = named.filter(step => step !== '' && !/^(?:\*|<\w+>|\d+)$/.test(step))
  const inner = (step: string, index: number) => (step === 'not' || step === 'any') && index < steps.length - 1
  return steps.filter((step, index) => !inner(step, index))
}

/** Whether a field of the schema is meant: any names, or none, may stand where it takes one. */
function isAt([step, ...others]: readonly string[], asked: readonly string[]): boolean {
  if (step === undefined) return asked.length === 0
  if (step !== '<name>') return step.replace('[]', '') === asked[0] && isAt(others, asked.slice(1))
  return isAt(others, asked) || (asked.length > 0 && isAt([step, ...others], asked.slice(1)))
}

function top(): FieldDoc {
  const { description } = configSchema
  return {
    ...{ field: '', kinds: [], description, required: true, default: null },
    ...typeOf(configSchema),
    example: exampleOf(undefined),
    fields: linesOf(configSchema),
  }
}

function docOf(field: Field): FieldDoc {
  const { path, kind, required, schema } = field
  const entry = entryOf(schema)
  return {
    field: path,
    kinds: kind === undefined ? [] : [kind],
    description: [schema.description, entry?.description].filter(Boolean).join(' Each: '),
    required,
    default: schema.default ?? null,
    ...typeOf(schema),
    example: exampleOf(field),
    fields: linesOf(entry ?? schema),
  }
}

/** The section that every entry of a map or list of sections is. */
function entryOf(schema: AnySchemaObject): AnySchemaObject | undefined {
  const entry = schema.items ?? schema.additionalProperties
  const followed = entry ? follow(entry) : undefined
  return followed && (followed.properties || followed.oneOf) ? followed : undefined
}

const partsOf = (schema: AnySchemaObject): readonly AnySchemaObject[] => (schema.oneOf ? branchesOf(schema) : [schema])

function linesOf(schema: AnySchemaObject): readonly FieldLine[] {
  const lines = new Map<string, FieldLine>()
  const parts = partsOf(schema)
  for (const [name, part] of parts.flatMap(part =>
    Object.keys(part.properties ?? {}).map(name => [name, part] as const),
  )) {
    const having = parts.filter(each => each.properties?.[name])
    const { description = '', default: otherwise = null } = follow(part.properties[name])
    lines.set(name, {
      name,
      kinds: having.length < parts.length ? having.flatMap(each => kindOf(each) ?? []) : [],
      required: having.every(each => each.required?.includes(name) === true),
      default: otherwise,
      description: lines.get(name)?.description ?? firstSentence(description),
    })
  }
  return [...lines.values()]
}

function namesBelow(schemas: readonly AnySchemaObject[]): readonly string[] {
  const sections = schemas.length === 0 ? [configSchema] : schemas.map(schema => entryOf(schema) ?? schema)
  return [...new Set(sections.flatMap(linesOf).map(({ name }) => name))]
}

/** Merges kinds that have identical documentation. */
function grouped(docs: readonly FieldDoc[]): readonly FieldDoc[] {
  const groups = new Map<string, FieldDoc>()
  for (const doc of docs) {
    const said = JSON.stringify({ ...doc, kinds: [], example: null })
    const same = groups.get(said)
    groups.set(said, same ? { ...same, kinds: [...same.kinds, ...doc.kinds] } : doc)
  }
  return [...groups.values()]
}

function hintFor(steps: readonly string[], known: readonly string[] | undefined): string {
  const name = steps.at(-1) ?? ''
  const above = steps.slice(0, -1)
  const fit = known && meant(name, known)
  if (fit !== undefined) return `did you mean \`${[...above, fit].join('.')}\`?`
  const elsewhere = [...new Set(fields.filter(field => field.name === name).map(({ path }) => plain(path)))]
  if (elsewhere.length > 0)
    return `did you mean ${elsewhere
      .slice(0, 3)
      .map(path => `\`${path}\``)
      .join(' or ')}?`
  if (known && known.length > 0) return `known here: ${known.join(', ')}`
  const close = meant(steps.join('.'), [...new Set(fields.map(({ path }) => plain(path)))])
  return close === undefined ? 'svcctl doc lists what there is at the top' : `did you mean \`${close}\`?`
}

/** A path as a user writes it: `plans.rpm`. */
const plain = (path: string): string => path.replace(/\.<name>|\[\]/g, '')

const firstSentence = (text: string): string => /^.*?[.](?= |$)/.exec(text)?.[0] ?? text

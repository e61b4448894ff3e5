import { FORMATS } from '../model/formats.ts'
import { isRefusal } from '../model/scalar.ts'
import { type ErrorObject, kinds, secretFields } from '../model/schema.ts'
import { meant, suggestion } from '../model/suggest.ts'
import { isEmpty, type Node, shown } from '../model/tree.ts'
import { readUnit, type Unit } from '../model/units.ts'
import type { ProblemText } from '../problem.ts'

/** The problem of a value that its place does not allow. */
export function sayValue(path: readonly string[], error: ErrorObject, node: Node | undefined): ProblemText {
  const name = fieldName(path)
  if (secretFields.has(name)) return saySecret(name, error, node)
  if (isEmpty(node)) return sayEmpty(name)
  switch (error.keyword) {
    case 'x-unit':
      return sayUnit(error, node)
    case 'format':
      return sayFormat(error, node)
    case 'type':
      return sayType(name, error, node)
    case 'const':
      return sayConst(name, error, node)
    case 'discriminator':
      return notKnown(name, node, suggestion(shown(node), kinds))
    case 'minItems':
    case 'minProperties':
      return {
        rule: error.keyword === 'minItems' ? 'empty-list' : 'empty-map',
        message: `\`${name}\` is empty`,
        hint: 'write at least one entry',
      }
    case 'maxItems':
      return {
        rule: 'list-too-long',
        message: `\`${name}\` has more than ${error.schema} entries`,
        hint: 'remove some of them',
      }
    case 'enum':
      return error.parentSchema?.['x-expects'] ? sayPattern(name, error, node) : sayChoice(error, node)
    default:
      return sayPattern(name, error, node)
  }
}

/** A field of a map by its name; an entry of a list by the name of the list. */
const fieldName = (path: readonly string[]): string => path.findLast(step => !/^\d+$/.test(step)) ?? ''

const sayEmpty = (name: string): ProblemText => ({
  rule: 'no-value',
  message: `\`${name}\` has no value`,
  // In `{ a:1 }` the colon is a part of the name.
  hint: name.includes(':') ? 'write a blank after the `:`' : 'give it one, or remove it',
})

/** Says nothing of the value: it may be the secret itself. */
function saySecret(name: string, error: ErrorObject, node: Node | undefined): ProblemText {
  if (isEmpty(node)) return sayEmpty(name)
  const { rule, hint } = FORMATS['x-secret'] ?? { rule: error.keyword, hint: undefined }
  return { rule, message: `\`${name}\` is not ${FORMATS['x-secret']?.expects}`, ...(hint && { hint }) }
}

function sayUnit(error: ErrorObject, node: Node | undefined): ProblemText {
  const unit: Unit = error.parentSchema?.['x-unit']
  const refusal = node?.is === 'scalar' && readUnit(unit, String(node.value))
  if (!isRefusal(refusal)) throw new Error(`${error.instancePath} was refused as a unit, and then read`)
  return { rule: refusal.rule, message: `\`${shown(node)}\` ${refusal.says}`, hint: refusal.hint }
}

function sayFormat(error: ErrorObject, node: Node | undefined): ProblemText {
  const format = FORMATS[String(error.schema)]
  if (!format) throw new Error(`the schema has a format ${error.schema} that formats.ts lacks`)
  const fault = node?.is === 'scalar' ? format.fault?.(String(node.value)) : undefined
  const hint = fault?.endsWith('?') ? fault : [fault, format.hint].filter(Boolean).join('; ')
  return { rule: format.rule, message: `\`${shown(node)}\` is not ${format.expects}`, hint }
}

const notKnown = (name: string, node: Node | undefined, hint: string): ProblemText => ({
  rule: 'unknown-value',
  message: `\`${name}\` cannot be \`${shown(node)}\``,
  hint,
})

function sayConst(name: string, { schema, parentSchema }: ErrorObject, node: Node | undefined): ProblemText {
  const expects: string | undefined = parentSchema?.['x-expects']
  if (expects) return notKnown(name, node, `write ${expects}`)
  return {
    rule: 'unknown-version',
    message: `\`${name}\` is not ${schema}`,
    hint: `this svc-gateway reads version ${schema}`,
  }
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'a text',
  integer: 'a number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a map',
}

function sayType(name: string, error: ErrorObject, node: Node | undefined): ProblemText {
  const unit: string | undefined = error.parentSchema?.['x-unit']?.kind
  const wanted = [error.schema].flat().map(type => TYPES[String(type)] ?? String(type))
  const nouns = unit === undefined ? wanted : [unitNoun(unit), ...wanted.filter(noun => noun === TYPES.object)]
  const message = `\`${name}\` must be ${[...new Set(nouns)].join(' or ')}`
  return { rule: 'wrong-type', message: `${message}, not ${kindOf(node)}`, ...hintFor(wanted, node) }
}

const unitNoun = (unit: string): string => (unit === 'usd' || unit === 'price' ? 'an amount' : `a ${unit}`)

function kindOf(node: Node | undefined): string {
  if (node?.is !== 'scalar') return node?.is === 'list' ? 'a list' : 'a map'
  return typeof node.value === 'string' ? 'a text' : `\`${node.written}\``
}

function hintFor(wanted: readonly string[], node: Node | undefined): { hint?: string } {
  if (node?.is === 'scalar') {
    // The commonest slip in a JSON Schema.
    if (wanted.includes('a map') && SCHEMA_TYPES.test(node.written)) return { hint: `write { type: ${node.written} }` }
    if (wanted.includes('a text')) return { hint: `quote it: "${node.written}"` }
    if (wanted.includes('a list')) return { hint: `write [${node.written}]` }
    if (wanted.includes('true or false')) return { hint: hintForBoolean(node.written) }
  }
  if (wanted.includes('a map')) return { hint: 'write its fields below it, indented' }
  return {}
}

const SCHEMA_TYPES = /^(?:string|number|integer|boolean|object|array)$/

/** YAML 1.1 read more words as true and false. */
function hintForBoolean(written: string): string {
  if (/^(?:yes|on|y)$/i.test(written)) return `write true; YAML 1.2 has no \`${written}\``
  if (/^(?:no|off|n)$/i.test(written)) return `write false; YAML 1.2 has no \`${written}\``
  return 'write true or false, without quotes'
}

/** The message of a choice for which the schema has no message of its own. */
function sayChoice({ schema }: ErrorObject, node: Node | undefined): ProblemText {
  const words = [schema].flat().map(String)
  const quoted = words.map(word => `\`${word}\``)
  const best = meant(shown(node), words)
  return {
    rule: 'bad-value',
    message: `\`${shown(node)}\` is not ${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`,
    ...(best !== undefined && { hint: `did you mean \`${best}\`?` }),
  }
}

/** The noun for the values of a schema, and behind its first colon how they are written. */
export function expectedBy({ parentSchema }: ErrorObject, otherwise: string): { what: string; detail?: string } {
  const expects: string = parentSchema?.['x-expects'] ?? otherwise
  const colon = expects.indexOf(': ')
  return colon === -1 ? { what: expects } : { what: expects.slice(0, colon), detail: expects.slice(colon + 2) }
}

function sayPattern(name: string, error: ErrorObject, node: Node | undefined): ProblemText {
  const { what, detail } = expectedBy(error, 'what the format allows')
  const written = shown(node)
  const told = { rule: 'bad-value', message: `\`${written}\` is not ${what}` }
  if (written === 'all') return { ...told, hint: `write \`${name}: all\`, without a list` }
  if (detail) return { ...told, hint: `write ${detail}` }
  return name === 'models' || name === 'tools' ? { ...told, hint: `write [${written}]` } : told
}

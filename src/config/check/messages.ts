import { type ErrorObject, type Field, secretFields, toolKinds } from '../model/schema.ts'
import { meant } from '../model/suggest.ts'
import {
  entriesOf,
  isText,
  keyAt,
  type MapNode,
  type Node,
  nodeAt,
  type Path,
  type Span,
  shown,
} from '../model/tree.ts'
import type { Problem, ProblemText } from '../problem.ts'
import { expectedBy, sayValue } from './messages-value.ts'

/** The schema's finding at one place. */
export interface Finding {
  readonly about: 'unknown' | 'missing' | 'kind' | 'name' | 'double' | 'value'
  /** The path ends in the name of the field for `unknown`, `missing` and `name`, and in the later position for `double`. */
  readonly path: readonly string[]
  readonly error: ErrorObject
}

/** Says what a finding means; undefined when another finding says it better. `fields` are all that files of the kind have. */
export function explain(
  finding: Finding,
  misspelt: ReadonlySet<string>,
  root: MapNode,
  fields: readonly Field[],
): Problem | undefined {
  const { path, error } = finding
  const node = nodeAt(root, path)
  switch (finding.about) {
    case 'unknown':
      return at(keyAt(root, path), sayUnknown(path, error, kindAround(root, path), fields))
    case 'missing': {
      if (misspelt.has(JSON.stringify(path))) return undefined
      const name = path.at(-1) ?? ''
      const slip = slipOf(root, path, error, fields)
      if (slip !== undefined) return at(keyAt(root, [...path.slice(0, -1), slip]), saySlip(slip, name))
      return at(ownerOf(root, path), sayMissing(path, kindAround(root, path), fields))
    }
    case 'kind': {
      const slip = nearly(node, toolKinds, fields)
      return at(
        keyAt(root, slip ? [...path, slip.name] : path),
        slip ? saySlip(slip.name, slip.fit) : sayKindless(path),
      )
    }
    case 'name':
      return at(keyAt(root, path), sayName(path, error))
    case 'double':
      return at(node?.span, sayDouble(path, node))
    case 'value':
      // A secret is reported at its key: the line of the key is what the frame shows.
      return at(isSecret(path) ? keyAt(root, path) : node?.span, sayValue(path, error, node))
  }
}

/** The problem of an entry that its list already has. */
export const sayDouble = (path: Path, node: Node | undefined): ProblemText => ({
  rule: 'duplicate-entry',
  message: `\`${shown(node)}\` is twice in \`${path.at(-2)}\``,
  hint: 'remove one',
})

const at = (span: Span | undefined, told: ProblemText): Problem | undefined =>
  span && { ...span, severity: 'error', ...told }

/** The kind of the model or hosted tool that a path leads into. */
function kindAround(root: MapNode, [section, name]: readonly string[]): string | undefined {
  if (section === 'hosted_tools' && name !== undefined)
    return toolKinds.find(kind => nodeAt(root, [section, name, kind]) !== undefined)
  const kind = section === 'models' && name !== undefined ? nodeAt(root, [section, name, 'kind']) : undefined
  return isText(kind) ? kind.value : undefined
}

const isSecret = (path: Path): boolean => secretFields.has(String(path.at(-1)))

/** The fields that stand there under a name that is nearly right. That they are missing is not a second mistake. */
export const misspeltOf = (findings: readonly Finding[]): ReadonlySet<string> =>
  new Set(
    findings
      .filter(({ about }) => about === 'unknown')
      .map(({ path, error }) => JSON.stringify([...path.slice(0, -1), fits(path, error)])),
  )

/** Without its `kind`, the fields of a model were held against no schema: one that is nearly called so is found here. */
function slipOf(
  root: MapNode,
  path: readonly string[],
  { parentSchema }: ErrorObject,
  fields: readonly Field[],
): string | undefined {
  if (!parentSchema?.discriminator) return undefined
  return nearly(nodeAt(root, path.slice(0, -1)), path.slice(-1), fields)?.name
}

/** A field that nothing is called, and the name among others that it is nearly. */
function nearly(
  node: Node | undefined,
  names: readonly string[],
  fields: readonly Field[],
): { name: string; fit: string } | undefined {
  const unknown = [...entriesOf(node)].map(([name]) => name).filter(name => !isField(name, fields))
  for (const name of unknown) {
    const fit = meant(name, names)
    if (fit !== undefined) return { name, fit }
  }
  return undefined
}

/** A missing field is reported where the map that lacks it begins: at its name. */
function ownerOf(root: MapNode, path: Path): Span {
  const owner = path.slice(0, -1)
  if (owner.length > 0) return keyAt(root, owner) ?? nodeAt(root, owner)?.span ?? root.span
  return { file: root.span.file, line: 1, column: 1, length: 1 }
}

/** The problem of a field that is not known at its place; `kind` is the kind of the model or hosted tool around it. */
function sayUnknown(
  path: readonly string[],
  error: ErrorObject,
  kind: string | undefined,
  fields: readonly Field[],
): ProblemText {
  const name = path.at(-1) ?? ''
  const elsewhere = fields.filter(field => field.name === name)
  if (path.length === 1 && elsewhere.some(isTop)) {
    const hint =
      'an included file may only have plans, models, aliases, default_model, pools, routes, hosted_tools and passthrough'
    return { rule: 'main-file-only', message: `\`${name}\` belongs in the main file`, hint }
  }
  const others = elsewhere.filter(field => field.kind && matches(field, path))
  if (kind && others.length > 0) return sayOtherKind(path, kind, others)
  const fit = fits(path, error)
  if (fit) return saySlip(name, fit)
  const hint = elsewhere.length > 0 ? belongs(name, elsewhere) : knownHere(error)
  return { rule: 'unknown-field', message: `unknown field \`${name}\``, hint }
}

/** The field that was probably meant, among those allowed there. */
export const fits = (path: readonly string[], error: ErrorObject): string | undefined =>
  meant(path.at(-1) ?? '', allowed(error))

/** The problem of a field whose name is nearly that of a known one. */
export const saySlip = (name: string, fit: string): ProblemText => ({
  rule: 'unknown-field',
  message: `unknown field \`${name}\``,
  hint: `did you mean \`${fit}\`?`,
})

/** Whether any field has this name. */
export const isField = (name: string, fields: readonly Field[]): boolean => fields.some(field => field.name === name)

/** The problem of a field that models or hosted tools have, but not those of this kind. */
function sayOtherKind(path: readonly string[], kind: string, others: readonly Field[]): ProblemText {
  const having = others.map(other => `\`${other.kind}\``).join(' and ')
  const [section = '', , name = ''] = path
  if (section === 'hosted_tools' && toolKinds.includes(name)) {
    const message = `${subject(path.slice(0, 2))} has both \`${kind}\` and \`${name}\``
    return { rule: 'two-kinds', message, hint: 'keep one of them' }
  }
  return {
    rule: 'other-kind',
    message: `${subject(path.slice(0, 2))} is of kind \`${kind}\`, which has no \`${path.slice(2).join('.')}\``,
    hint: `${NOUNS[section]}s of kind ${having} have it`,
  }
}

/** The problem of a required field that is missing; `kind` is the kind of the model or hosted tool around it. */
function sayMissing(path: readonly string[], kind: string | undefined, fields: readonly Field[]): ProblemText {
  const name = path.at(-1) ?? ''
  const field = fields.find(each => each.name === name && (!kind || each.kind === kind) && matches(each, path))
  const message = path.length > 1 ? `${subject(path.slice(0, -1))} has no \`${name}\`` : `the file has no \`${name}\``
  const about = field?.schema.description
  return { rule: 'missing-field', message, ...(about && { hint: `add \`${name}\`: ${firstSentence(about)}` }) }
}

/** The problem of a hosted tool that is of no kind. */
const sayKindless = (path: readonly string[]): ProblemText => ({
  rule: 'missing-field',
  message: `${subject(path)} has none of ${toolKinds.map(kind => `\`${kind}\``).join(', ')}`,
  hint: 'add one: the URL of an MCP server, the URL of a tool, or the name of a built-in tool',
})

/** The problem of a name that nothing can have. */
function sayName(path: readonly string[], error: ErrorObject): ProblemText {
  const { what, detail } = expectedBy(error, 'a name')
  const hint = 'variables have no effect in names'
  return {
    rule: 'bad-name',
    message: `\`${path.at(-1)}\` is not ${what}`,
    hint: detail === undefined ? hint : `take ${detail}; ${hint}`,
  }
}

function belongs(name: string, elsewhere: readonly Field[]): string {
  if (elsewhere.some(isTop)) return `\`${name}\` belongs at the top of the main file`
  const places = [...new Set(elsewhere.map(({ parent }) => `\`${parent}\``))]
  return `\`${name}\` belongs under ${places.slice(0, 3).join(' or ')}`
}

const isTop = ({ parent }: Field): boolean => parent === ''

const knownHere = (error: ErrorObject): string =>
  `known here: ${allowed(error)
    .map(name => `\`${name}\``)
    .join(', ')}`

const allowed = ({ parentSchema }: ErrorObject): readonly string[] => Object.keys(parentSchema?.properties ?? {})

const NOUNS: Readonly<Record<string, string>> = {
  plans: 'plan',
  models: 'model',
  pools: 'pool',
  aliases: 'alias',
  hosted_tools: 'tool',
}

/** `plan free`, an entry of a list, or the last field of a longer path. */
function subject(path: readonly string[]): string {
  const isEntry = /^\d+$/.test(path.at(-1) ?? '')
  if (isEntry) return `an entry of \`${path.at(-2)}\``
  const noun = path.length === 2 && NOUNS[path[0] ?? '']
  return noun ? `${noun} \`${path[1]}\`` : `\`${path.at(-1)}\``
}

/** Whether a field of the schema is the one at a path; `<name>` stands for any name, `[]` for any position. */
function matches(field: Field, path: readonly string[]): boolean {
  const steps = field.path.replaceAll('[]', '.<name>').split('.')
  return steps.length === path.length && steps.every((step, i) => step === '<name>' || step === path[i])
}

const firstSentence = (text: string): string => (text.split(/\.(?= )/, 1)[0] ?? '').replace(/\.$/, '')

import type { Problem, Told } from '../problem.ts'
import { entriesOf, isText, keyAt, type MapNode, type Node, nodeAt, type Path, type Span, shown } from '../read/tree.ts'
import { fits, isField, sayKindless, sayMissing, sayName, saySlip, sayUnknown } from './messages-field.ts'
import { sayValue } from './messages-value.ts'
import { type ErrorObject, type Field, secretFields, toolKinds } from './schema.ts'
import { meant } from './suggest.ts'

/** What the schema has against one place. */
export interface Finding {
  readonly about: 'unknown' | 'missing' | 'kind' | 'name' | 'double' | 'value'
  /** For `unknown`, `missing` and `name` it ends in the name of the field; for `double` in the later position. */
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

/** What to say of an entry that stands in its list before. */
export const sayDouble = (path: Path, node: Node | undefined): Told => ({
  rule: 'duplicate-entry',
  message: `\`${shown(node)}\` stands twice in \`${path.at(-2)}\``,
  hint: 'remove one',
})

const at = (span: Span | undefined, told: Told): Problem | undefined => span && { ...span, severity: 'error', ...told }

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

import type { Problem } from './problem.ts'
import { fits, isField, sayMissing, saySlip, sayUnknown } from './say-field.ts'
import { sayValue } from './say-value.ts'
import { type ErrorObject, secretFields } from './schema.ts'
import { meant } from './suggest.ts'
import { entriesOf, isText, keyAt, type MapNode, nodeAt, type Path, type Span, shown } from './tree.ts'

/** What the schema has against one place. */
export interface Finding {
  readonly about: 'unknown' | 'missing' | 'name' | 'double' | 'value'
  /** For `unknown`, `missing` and `name` it ends in the name of the field; for `double` in the later position. */
  readonly path: readonly string[]
  readonly error: ErrorObject
}

/** A Problem without its place. */
export type Told = Pick<Problem, 'rule' | 'message' | 'hint'>

/** Says what a finding means; undefined when another finding says it better. */
export function explain(finding: Finding, misspelt: ReadonlySet<string>, root: MapNode): Problem | undefined {
  const { path, error } = finding
  const node = nodeAt(root, path)
  switch (finding.about) {
    case 'unknown':
      return at(keyAt(root, path), sayUnknown(path, error, kindAround(root, path)))
    case 'missing': {
      if (misspelt.has(JSON.stringify(path))) return undefined
      const name = path.at(-1) ?? ''
      const slip = slipOf(root, path, error)
      if (slip !== undefined) return at(keyAt(root, [...path.slice(0, -1), slip]), saySlip(slip, name))
      return at(ownerOf(root, path), sayMissing(path, kindAround(root, path)))
    }
    case 'name':
      return at(keyAt(root, path), {
        rule: 'bad-name',
        message: `\`${path.at(-1)}\` is not a name of letters, digits, dots, dashes and underscores, at most 64`,
        hint: 'rename it; variables have no effect in names',
      })
    case 'double':
      return at(node?.span, {
        rule: 'duplicate-entry',
        message: `\`${shown(node)}\` stands twice in \`${path.at(-2)}\``,
        hint: 'remove one',
      })
    case 'value':
      // A secret is reported at its key: the line of the key is what the frame shows.
      return at(isSecret(path) ? keyAt(root, path) : node?.span, sayValue(path, error, node))
  }
}

const at = (span: Span | undefined, told: Told): Problem | undefined => span && { ...span, severity: 'error', ...told }

/** The kind of the model that a path leads into. */
function kindAround(root: MapNode, [section, name]: readonly string[]): string | undefined {
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
function slipOf(root: MapNode, path: readonly string[], { parentSchema }: ErrorObject): string | undefined {
  if (!parentSchema?.discriminator) return undefined
  const names = [...entriesOf(nodeAt(root, path.slice(0, -1)))].map(([name]) => name)
  return names.find(name => !isField(name) && meant(name, path.slice(-1)))
}

/** A missing field is reported where the map that lacks it begins: at its name. */
function ownerOf(root: MapNode, path: Path): Span {
  const owner = path.slice(0, -1)
  if (owner.length > 0) return keyAt(root, owner) ?? nodeAt(root, owner)?.span ?? root.span
  return { file: root.span.file, line: 1, column: 1, length: 1 }
}

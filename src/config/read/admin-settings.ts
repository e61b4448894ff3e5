import { X509Certificate } from 'node:crypto'
import { dirname, resolve } from 'node:path'
import { DEFAULTS } from '../defaults.ts'
import { type Address, address, baseUrl, localUrlOf } from '../model/formats.ts'
import { isBroken, isEmpty, isText, type MapNode, type Node, nodeAt } from '../model/tree.ts'
import type { Env } from '../model/variables.ts'
import type { Problem } from '../problem.ts'
import { parse } from './compose.ts'
import { machineDisk, readSource, type Source } from './disk.ts'
import { fetchSecret, type SecretPlace } from './secrets.ts'

/** The settings with which a command speaks to the gateway that runs on a configuration. */
export interface AdminSettings {
  readonly admin: Address
  /** Absolute. */
  readonly stateDir: string
  /** Whether that speaks TLS; and its certificate as PEM, where it can be read. */
  readonly hasTls: boolean
  readonly certificate?: string
  /** The audience of a sign-in's tokens; undefined where the gateway has no sign-ins, or where the file does not show it. */
  readonly audience?: string
}

/** Either these settings, or all that keeps them from being read. */
export type AdminRead =
  | { readonly ok: true; readonly settings: AdminSettings }
  | {
      readonly ok: false
      readonly problems: readonly Problem[]
      readonly sources: ReadonlyMap<string, string>
    }

/**
 * Reads these settings alone from a main file. A variable or secret that only the gateway needs may be missing, and
 * mistakes elsewhere in the files are left to the commands that read the whole configuration.
 */
export function readAdminSettings(file: string, env: Env, cwd: string): AdminRead {
  const problems: Problem[] = []
  const path = resolve(cwd, file)
  const source = readSource(path, cwd, undefined, problem => problems.push(problem), machineDisk)
  const root = source && rootOf(source, env, problems)
  const sources = new Map(source ? [[source.file, source.text]] : [])
  if (!root) return { ok: false, problems, sources }
  const found = problems.splice(0)
  const admin = textIn(root, 'admin', DEFAULTS.admin, found, problems)
  const stateDir = textIn(root, 'state_dir', DEFAULTS.stateDir, found, problems)
  const read = admin === undefined ? undefined : address.read(admin)
  const node = nodeAt(root, ['server', 'admin'])
  if (admin !== undefined && read === undefined && node) problems.push(notAnAddress(node))
  if (read === undefined || stateDir === undefined) return { ok: false, problems, sources }
  const audience = audienceIn(root)
  const common = { admin: read, stateDir: resolve(dirname(path), stateDir) }
  const settings = { ...common, ...tlsIn(root, { env, directory: dirname(path) }) }
  return { ok: true, settings: { ...settings, ...(audience !== undefined && { audience }) } }
}

function tlsIn(root: MapNode, place: SecretPlace): Pick<AdminSettings, 'hasTls' | 'certificate'> {
  const section = nodeAt(root, ['server', 'admin_tls'])
  if (section?.is !== 'map') return { hasTls: false }
  const fetched = fetchSecret(nodeAt(section, ['certificate']), 'certificate', place, /^/)
  return { hasTls: true, ...(typeof fetched === 'string' && isCertificate(fetched) && { certificate: fetched }) }
}

function isCertificate(text: string): boolean {
  try {
    new X509Certificate(text)
    return true
  } catch {
    // The gateway says what is wrong with it; it may run with the one before.
    return false
  }
}

/**
 * The tree of a main file. Where the file is no YAML, it is the tree of the lines before the first mistake, provided that
 * `server` is complete there: otherwise the mistake could hide an address that is not the default.
 */
function rootOf(source: Source, env: Env, problems: Problem[]): MapNode | undefined {
  const root = parse(source, env, problem => problems.push(problem))
  const [mistake] = problems
  if (root || !mistake) return root
  const lines = source.text.split('\n')
  const before = lines.slice(0, mistake.line - 1).join('\n')
  const part = parse({ ...source, text: before }, env, () => {})
  const names = [...(part?.entries.keys() ?? [])]
  const isInside = names.at(-1) === 'server' && /^\s/.test(lines[mistake.line - 1] ?? '')
  return names.includes('server') && !isInside ? part : undefined
}

/** A field of `server`; undefined, with the reason reported, where it cannot be read. */
function textIn(
  root: MapNode,
  field: string,
  otherwise: string,
  found: readonly Problem[],
  problems: Problem[],
): string | undefined {
  const node = nodeAt(root, ['server', field])
  if (node === undefined || isEmpty(node)) return otherwise
  if (isText(node)) return node.value
  if (isBroken(node)) {
    const { file, line, column } = node.span
    problems.push(...found.filter(at => at.file === file && at.line === line && at.column === column))
  } else problems.push(field === 'admin' ? notAnAddress(node) : notAPath(node))
  return undefined
}

const notAnAddress = (node: Node): Problem => ({
  ...node.span,
  rule: address.rule,
  severity: 'error',
  message: `\`${node.is === 'scalar' ? node.written : 'admin'}\` is not ${address.expects}`,
  hint: address.hint,
})

const notAPath = ({ span }: Node): Problem => ({
  ...span,
  rule: 'bad-type',
  severity: 'error',
  message: '`state_dir` is not a text',
  hint: 'write the path of a folder, such as ./data',
})

function audienceIn(root: MapNode): string | undefined {
  if (nodeAt(root, ['identity'])?.is !== 'map') return undefined
  const written = nodeAt(root, ['server', 'public_url'])
  if (isText(written)) return baseUrl.read(written.value)
  if (written !== undefined) return undefined
  const node = nodeAt(root, ['server', 'listen'])
  const listen = address.read(isText(node) ? node.value : DEFAULTS.listen)
  return listen && (node === undefined || isText(node)) ? localUrlOf(listen) : undefined
}

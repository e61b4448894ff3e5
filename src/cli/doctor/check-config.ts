import { statSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { counted } from '../../config/format/problem-text.ts'
import { type Load, load } from '../../config/load.ts'
import { isLoopback } from '../../config/model/formats.ts'
import type { Env } from '../../config/model/variables.ts'
import type { Problem } from '../../config/problem.ts'
import type { Loaded } from '../../config/settings.ts'
import { loadWithStandIns } from '../../config/stand-ins.ts'
import type { Finding } from '../../gateway/doctor/finding.ts'

interface Checked extends Pick<Load, 'sources' | 'paths'> {
  readonly finding: Finding
  /** Undefined where nothing can be made of the files; with stand-ins for variables that are not set. */
  readonly loaded?: Loaded
}

/** Loads a configuration as the gateway would. */
export function checkConfig(file: string, env: Env, cwd: string): Checked {
  const result = load(file, env, cwd)
  const { sources, paths } = result
  const common = { check: 'config', subject: file }
  if (result.ok) {
    const { warnings } = result.loaded
    const text = `${counted(sources.size, 'file')}, no errors${warnings.length > 0 ? `, ${counted(warnings.length, 'warning')} (svcctl validate)` : ''}`
    return { finding: { ...common, state: 'ok', text }, loaded: result.loaded, sources, paths }
  }
  const errors = result.problems.filter(({ severity }) => severity === 'error')
  const [first] = errors
  const text = `${counted(errors.length, 'error')}${first ? `: ${problemText(first)}` : ''}`
  const hint = `svcctl validate shows ${errors.length === 1 ? 'it' : 'all'}${first?.hint ? `. Here: ${first.hint}` : ''}`
  const otherwise = loadWithStandIns(file, env, cwd)
  const rest = otherwise.ok ? { loaded: otherwise.loaded } : {}
  return { finding: { ...common, state: 'problem', text, hint }, ...rest, sources, paths }
}

const problemText = ({ file, line, column, message }: Problem): string => `${file}:${line}:${column}  ${message}`

interface Files {
  readonly loaded: Loaded
  /** Files that were read, directories that were looked into, and files of secrets. Absolute. */
  readonly paths: readonly string[]
}

/** The parts that other users of the machine or the network could read. A finding for each case, or one that says there is none. */
export function checkExposure({ loaded, paths }: Files, cwd: string): readonly Finding[] {
  const found = [...listeners(loaded), ...stateDirectory(loaded), ...secretFiles(loaded, paths, cwd)]
  if (found.length > 0) return found
  return [{ ...EXPOSURE, subject: 'all', state: 'ok', text: 'no unexpected exposure' }]
}

const EXPOSURE = { check: 'exposure' }

function* listeners({ settings: { server } }: Loaded): Generator<Finding> {
  const { publicUrl, admin } = server
  if (publicUrl.startsWith('http:') && !isLoopback(new URL(publicUrl).hostname)) {
    const text = 'public_url is http: keys would travel in clear text'
    const hint = 'Put a proxy with TLS before the gateway, and write https:// there.'
    yield { ...EXPOSURE, subject: 'server.public_url', state: 'warning', text, hint }
  }
  if (!isLoopback(admin.host)) {
    const text = `the admin listener on ${admin.host}:${admin.port} has no TLS: its token would travel in clear text`
    const hint = 'Bind it to 127.0.0.1, or to a network that only operators and probes can reach.'
    yield { ...EXPOSURE, subject: 'server.admin', state: 'warning', text, hint }
  }
}

/** It has the guests' keys and the token of the admin listener. */
function* stateDirectory({ settings: { server, store } }: Loaded): Generator<Finding> {
  const directories = new Map([[server.stateDir, 'server.state_dir']])
  if (store.kind === 'embedded' && !directories.has(store.path)) directories.set(store.path, 'store')
  for (const [path, subject] of directories) {
    const mode = modeOf(path)?.mode ?? 0
    if ((mode & 0o077) === 0) continue
    const isWritable = (mode & 0o002) !== 0
    const text = `${subject} ${path} may be ${isWritable ? 'written by everybody' : 'read by others'} (${octal(mode)})`
    yield { ...EXPOSURE, subject, state: isWritable ? 'problem' : 'warning', text, hint: `chmod 700 ${path}` }
  }
}

/** Files that hold secrets: those of `file:…`. In the files of the configuration themselves none is accepted. */
function* secretFiles({ files }: Loaded, paths: readonly string[], cwd: string): Generator<Finding> {
  const read = new Set(files.map(file => resolve(cwd, file)))
  for (const path of paths) {
    const stat = read.has(path) ? undefined : modeOf(path)
    if (!stat?.isFile || (stat.mode & 0o077) === 0) continue
    const name = relative(cwd, path)
    const text = `the secret in ${name} is readable by others (${octal(stat.mode)})`
    yield { ...EXPOSURE, subject: name, state: 'warning', text, hint: `chmod 600 ${name}` }
  }
}

const octal = (mode: number): string => `0${(mode & 0o777).toString(8)}`

/** Undefined where there is nothing, or nothing that this user may look at. */
function modeOf(path: string): { readonly mode: number; readonly isFile: boolean } | undefined {
  try {
    const stat = statSync(path)
    return { mode: stat.mode, isFile: stat.isFile() }
  } catch {
    return undefined
  }
}

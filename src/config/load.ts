import { dirname, resolve } from 'node:path'
import { check, configFile, policyFile } from './check/check.ts'
import { checkParameters } from './check/parameters.ts'
import { checkComplete, checkReferences, checkSizes, checkUse, unsureOf, withEmpty } from './check/refs.ts'
import { lintClaudeLogin } from './lint/claude-login.ts'
import { lintGroups } from './lint/groups.ts'
import { lintLabels } from './lint/labels.ts'
import { lintLimits } from './lint/limits.ts'
import { lint, lintTools } from './lint/lint.ts'
import { lintAccounts, lintProcess } from './lint/main-file.ts'
import { lintMeasures } from './lint/measures.ts'
import { lintNotices } from './lint/notices.ts'
import { checkPassthroughUse, lintPassthrough } from './lint/passthrough.ts'
import { lintShareWorkers } from './lint/queue.ts'
import { lintReach } from './lint/reach.ts'
import { lintRoutes } from './lint/routes.ts'
import { lintServices } from './lint/services.ts'
import { forbidden, mayReadLike } from './model/reads.ts'
import type { ConfigFile } from './model/schema.ts'
import type { MapNode, Span } from './model/tree.ts'
import type { Env } from './model/variables.ts'
import type { Problem, Report } from './problem.ts'
import { type Disk, machineDisk, textDisk } from './read/disk.ts'
import { type Files, type Origin, readFiles } from './read/files.ts'
import { type MergedFiles, mergeFiles, type Part } from './read/merge.ts'
import { fieldsOf, fingerprintOf, includesIn, pathsOf, revisionOf, textsFrom } from './read/reading.ts'
import { readKeys, readPoolHeaders } from './read/secrets.ts'
import { sectionsOf } from './read/sections.ts'
import { readAdminTls } from './resolve/admin-tls.ts'
import { readArchive } from './resolve/archive-section.ts'
import { link } from './resolve/link.ts'
import {
  readAdminToken,
  readAgentSecret,
  readGuestSecrets,
  readObservabilitySecrets,
  readResponseKeys,
  readScimSecret,
} from './resolve/main-secrets.ts'
import { readTargetSecrets } from './resolve/notices.ts'
import { readRedis } from './resolve/redis-section.ts'
import { type Secrets, settle } from './resolve/resolve.ts'
import { type FileText, type Loaded, Secret } from './settings.ts'

/** Either a configuration that may be served, or all that is wrong with it; never a part of it. */
export type Load = Sources &
  ({ readonly ok: true; readonly loaded: Loaded } | { readonly ok: false; readonly problems: readonly Problem[] })

interface Sources {
  /** The text of each file, in the order they were read, for code frames. */
  readonly sources: ReadonlyMap<string, string>
  /** Files and directories on which the outcome depends, whether they are there or not. Absolute. */
  readonly paths: readonly string[]
  /** The includes of the main file, as patterns from its directory on. */
  readonly includes: readonly string[]
}

/** The outcome of all checks, as plain data. */
export type Examination = Sources &
  ({ readonly ok: true; readonly examined: Examined } | { readonly ok: false; readonly problems: readonly Problem[] })

/**
 * Reads, checks and links a configuration file and what it includes. Files of secrets are always those of the machine.
 * Throws only on a bug.
 */
export function load(file: string, env: Env, cwd: string, disk: Disk = machineDisk): Load {
  const examination = examine(file, env, cwd, disk)
  if (!examination.ok) return examination
  const { examined, ...sources } = examination
  return { ...sources, ok: true, loaded: assemble(examined) }
}

/** More problems are not listed: operators correct the first ones and load again. */
const MOST_PROBLEMS = 1000

/** The larger part of a load, which another thread can do: reads the files and checks everything in them. */
export function examine(file: string, env: Env, cwd: string, disk: Disk = machineDisk): Examination {
  const problems: Problem[] = []
  const report: Report = problem => problems.push(problem)
  const place = { path: resolve(cwd, file), directory: dirname(resolve(cwd, file)), cwd, env, disk }

  const files = readFiles(place, report)
  const sources = new Map(files.sources.map(({ file, text }) => [file, text]))
  const read = { sources, paths: pathsOf(place, files.roots), includes: includesIn(files.roots[0]) }
  // Before values are checked: the Problem of a value may show a part of it.
  const refused = files.reads.filter(each => disk.mayRead?.(each) === false)
  if (refused.length > 0) return { ok: false, problems: atMost(MOST_PROBLEMS, refused.map(forbidden)), ...read }
  const checked = checkAll(files, place, report)
  // While anything is wrong, it may be the reason that something else is not used.
  if (checked && !problems.some(isError)) {
    checkUse(checked.merged, report)
    checkPassthroughUse(checked.merged, report)
  }

  const found = atMost(MOST_PROBLEMS, inOrder(problems, [...sources.keys()]))
  if (!checked || found.some(isError)) return { ok: false, problems: found, ...read }
  const examined = { ...partsOf(checked, files, place), warnings: found, files: [...sources.keys()] }
  return { ok: true, examined, ...read }
}

interface Checked {
  readonly main: ConfigFile
  readonly merged: MergedFiles
  readonly secrets: Secrets
}

/** Every check there is, in every file, whatever the others found. Undefined when nothing could be built. */
function checkAll({ roots }: Files, { env, directory, disk }: Origin, report: Report): Checked | undefined {
  const [root, ...others] = roots
  if (!root) return undefined
  const main = check(root, configFile, report)
  const parts = others.flatMap((other): Part[] =>
    other ? [{ root: other, data: check(other, policyFile, report) }] : [],
  )
  const merged = mergeFiles([{ root, data: main }, ...parts], report)
  const unsure = unsureOf(roots)
  checkComplete(merged, unsure, start(root), report)
  checkReferences(root, merged, withEmpty(merged, unsure), report)
  if (main) checkSizes(root, main, merged, unsure, report)
  lint(merged, report)
  lintLimits(merged, main, report)
  lintReach(merged, report)
  lintMeasures(merged, report)
  lintRoutes(merged, report)
  lintPassthrough(merged, report)
  checkParameters(merged.tools, report)
  const place = { env, directory, ...(disk.standIn && { standIn: disk.standIn }) }
  const secrets = {
    pools: readKeys(merged.pools, place, report),
    headers: readPoolHeaders(merged.pools, place, report),
    tools: readKeys(merged.tools, place, report),
    guests: readGuestSecrets(root, main, place, report),
    agents: readAgentSecret(root, main, place, report),
    responses: readResponseKeys(root, place, report),
    redis: readRedis(root, main, place, report),
    adminToken: readAdminToken(root, place, report),
    adminTls: readAdminTls(root, place, report),
    archive: readArchive(root, main, place, report),
    scim: readScimSecret(root, place, report),
    observability: readObservabilitySecrets(root, place, report),
    targets: readTargetSecrets(root, place, report),
  }
  if (!main) return undefined
  lintProcess(root, main, report)
  lintShareWorkers(root, main, merged, report)
  lintServices(root, main, report)
  lintGroups(root, main, report)
  lintClaudeLogin(root, main, report)
  lintAccounts(root, main, merged, report)
  lintLabels(root, main, report)
  lintNotices(root, main, report)
  lintTools(main, merged, report)
  return { main, merged, secrets }
}

const start = ({ span: { file } }: MapNode): Span => ({ file, line: 1, column: 1, length: 1 })

function partsOf({ main, merged, secrets }: Checked, { sources, roots, reads }: Files, { directory, env }: Origin) {
  const texts = textsFrom(directory, sources)
  return {
    main,
    merged,
    secrets: textsOfSecrets(secrets),
    directory,
    fields: fieldsOf(roots[0], merged.defaultModel?.node),
    texts,
    reads,
    includes: includesIn(roots[0]),
    revision: revisionOf(texts),
    sections: sectionsOf(roots),
    fingerprint: fingerprintOf(texts, env, all(secrets)),
  }
}

/** The rest of a load: links names to objects and fills in defaults. */
export function assemble(examined: Examined): Loaded {
  const { main, merged, secrets, directory, revision, ...rest } = examined
  const loaded = {
    ...rest,
    config: link(main, merged, { revision, fields: rest.fields }),
    settings: settle(main, merged, secretsOfTexts(secrets), directory),
  }
  examinedAs.set(loaded, examined)
  return loaded
}

/** The sources of a configuration, from which another process can make it too. */
export function examinedOf(loaded: Loaded): Examined {
  const examined = examinedAs.get(loaded)
  if (!examined) throw new Error('this configuration was not made of files')
  return examined
}

const examinedAs = new WeakMap<Loaded, Examined>()

const all = ({
  pools,
  headers,
  tools,
  guests,
  agents,
  responses,
  redis,
  adminToken,
  adminTls,
  archive,
  scim,
  observability,
  targets,
}: Secrets): readonly Secret[] => [
  ...pools.values(),
  ...[...headers.values()].flatMap(each => [...each.values()]),
  ...tools.values(),
  ...guests,
  ...(agents ? [agents] : []),
  ...responses,
  ...redis.values(),
  ...(adminToken ? [adminToken] : []),
  ...adminTls.values(),
  ...archive.values(),
  ...(scim ? [scim] : []),
  ...(observability.metrics ? [observability.metrics] : []),
  ...observability.metricsHeaders.values(),
  ...observability.traces.values(),
  ...[...targets.values()].flatMap(each => [...each.values()]),
]

const isError = ({ severity }: Problem): boolean => severity === 'error'

/** Problems in the order of files and lines; a Problem that an alias doubled is there once. */
function inOrder(problems: readonly Problem[], files: readonly string[]): readonly Problem[] {
  const distinct = new Map(problems.map(problem => [JSON.stringify(problem), problem]))
  const rank = new Map(files.map((file, index) => [file, index]))
  const order = (file: string) => rank.get(file) ?? files.length
  return [...distinct.values()].sort((a, b) => order(a.file) - order(b.file) || a.line - b.line || a.column - b.column)
}

/** A long list ends in how many more there are, at the place of the first. */
function atMost(count: number, problems: readonly Problem[]): readonly Problem[] {
  const rest = problems.slice(count)
  const [next] = rest
  if (!next) return problems
  const { file, line, column } = next
  const message = `and ${rest.length} more from here on`
  const severity = rest.some(isError) ? 'error' : 'warning'
  const closing: Problem = { file, line, column, rule: 'more-problems', severity, message, hint: 'correct those above' }
  return [...problems.slice(0, count), closing]
}

/** Files in which every check found nothing wrong, as plain data: it can go from one thread to another. */
export interface Examined extends Omit<Loaded, 'config' | 'settings'> {
  readonly main: ConfigFile
  readonly merged: MergedFiles
  readonly secrets: SecretTexts
  /** Absolute: where the main file lies. */
  readonly directory: string
  readonly revision: string
}

/** Secrets in the clear: an object of class Secret would arrive empty in another thread. Nothing prints them. */
interface SecretTexts {
  readonly pools: ReadonlyMap<string, string>
  readonly headers: ReadonlyMap<string, ReadonlyMap<string, string>>
  readonly tools: ReadonlyMap<string, string>
  readonly guests: readonly string[]
  readonly agents: string | undefined
  readonly responses: readonly string[]
  readonly redis: ReadonlyMap<string, string>
  readonly adminToken: string | undefined
  readonly adminTls: ReadonlyMap<string, string>
  readonly archive: ReadonlyMap<string, string>
  readonly scim: string | undefined
  readonly metrics: string | undefined
  readonly metricsHeaders: ReadonlyMap<string, string>
  readonly traces: ReadonlyMap<string, string>
  readonly targets: ReadonlyMap<string, ReadonlyMap<string, string>>
}

const textsOfSecrets = ({
  pools,
  headers,
  tools,
  guests,
  agents,
  responses,
  redis,
  adminToken,
  adminTls,
  archive,
  scim,
  observability,
  targets,
}: Secrets): SecretTexts => ({
  pools: revealed(pools),
  headers: allRevealed(headers),
  tools: revealed(tools),
  guests: guests.map(secret => secret.reveal()),
  agents: agents?.reveal(),
  responses: responses.map(secret => secret.reveal()),
  redis: revealed(redis),
  adminToken: adminToken?.reveal(),
  adminTls: revealed(adminTls),
  archive: revealed(archive),
  scim: scim?.reveal(),
  metrics: observability.metrics?.reveal(),
  metricsHeaders: revealed(observability.metricsHeaders),
  traces: revealed(observability.traces),
  targets: allRevealed(targets),
})

const secretsOfTexts = ({
  pools,
  headers,
  tools,
  guests,
  agents,
  responses,
  redis,
  adminToken,
  adminTls,
  archive,
  scim,
  metrics,
  metricsHeaders,
  traces,
  targets,
}: SecretTexts): Secrets => ({
  pools: hidden(pools),
  headers: allHidden(headers),
  tools: hidden(tools),
  guests: guests.map(text => new Secret(text)),
  agents: agents === undefined ? undefined : new Secret(agents),
  responses: responses.map(text => new Secret(text)),
  redis: hidden(redis),
  adminToken: adminToken === undefined ? undefined : new Secret(adminToken),
  adminTls: hidden(adminTls),
  archive: hidden(archive),
  scim: scim === undefined ? undefined : new Secret(scim),
  observability: {
    ...(metrics !== undefined && { metrics: new Secret(metrics) }),
    metricsHeaders: hidden(metricsHeaders),
    traces: hidden(traces),
  },
  targets: allHidden(targets),
})

const revealed = (secrets: ReadonlyMap<string, Secret>): ReadonlyMap<string, string> =>
  new Map([...secrets].map(([name, secret]) => [name, secret.reveal()]))

type Named<T> = ReadonlyMap<string, ReadonlyMap<string, T>>

const allRevealed = (secrets: Named<Secret>): Named<string> =>
  new Map([...secrets].map(([name, own]) => [name, revealed(own)]))

const allHidden = (texts: Named<string>): Named<Secret> => new Map([...texts].map(([name, own]) => [name, hidden(own)]))

const hidden = (texts: ReadonlyMap<string, string>): ReadonlyMap<string, Secret> =>
  new Map([...texts].map(([name, text]) => [name, new Secret(text)]))

/** Files that are not on the disk: those of an apply. Plain data. */
export interface Candidate {
  readonly files: readonly FileText[]
  /** Where they would lie. Absolute. */
  readonly directory: string
  /** Which variables and files of secrets they may read; without it all of them. */
  readonly mayRead?: Readonly<Parameters<typeof mayReadLike>>
}

/** The disk that has the files of a candidate. */
export function diskOf({ files, directory, mayRead }: Candidate): Disk {
  const disk = textDisk(files, directory)
  return mayRead ? { ...disk, mayRead: mayReadLike(...mayRead) } : disk
}

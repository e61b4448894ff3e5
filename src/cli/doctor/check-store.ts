import { access, constants, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { isLocked } from '../../adapters/embedded/store-directory.ts'
import { isTls } from '../../config/model/store-address.ts'
import type { Loaded, StoreSettings } from '../../config/settings.ts'
import { hasStandIn } from '../../config/stand-ins.ts'
import { type Fault, type Finding, problem } from '../../gateway/doctor/finding.ts'
import type { Clock } from '../../gateway/ports.ts'
import type { Millis } from '../../policy/config.ts'
import { storeText } from '../../server/failure.ts'
import { serverOf } from '../../server/state/open-store.ts'
import type { Watched } from './check-machine.ts'
import { checkKeptRoom, type KeptRoom, roomOfDisk, roomOfRedis } from './check-responses.ts'
import { codeOf } from './report.ts'

interface Checked {
  readonly finding: Finding
  /** Set where kept responses may take more than the store has. */
  readonly crowded?: Finding | undefined
  readonly watched: readonly Watched[]
}

/** Whether a gateway could use its store, or does. Nothing is written there. */
export async function checkStore(loaded: Loaded, runs: boolean, clock: Clock, limit: Millis): Promise<Checked> {
  const { store, server, responses } = loaded.settings
  const common = { check: 'store', subject: storeText(store) }
  const isEmbedded = store.kind === 'embedded'
  const directory = isEmbedded ? store.path : server.stateDir
  const fault = await directoryFault(directory, isEmbedded ? 'store' : 'server.state_dir', runs)
  if (isEmbedded) {
    const text = `embedded in ${directory}${runs ? ', owned by the gateway running here' : ''}`
    const crowded = fault ? undefined : checkKeptRoom(responses, await roomOfDisk(directory, await nearest(directory)))
    return { finding: { ...common, state: 'ok', text, ...fault }, crowded, watched: [] }
  }
  if (hasStandIn(store.url.reveal()))
    return { finding: { ...common, state: 'ok', text: store.url.reveal() }, watched: [] }
  const { found, watched, room } = await checkRedis(loaded, store, clock, limit)
  const finding = { ...common, ...found, ...(found.state !== 'problem' && fault) }
  return { finding, crowded: checkKeptRoom(responses, room), watched }
}

/** Why a gateway could not make a directory its own. */
async function directoryFault(directory: string, field: string, runs: boolean): Promise<Fault | undefined> {
  const existing = await nearest(directory)
  try {
    if (!(await stat(existing)).isDirectory())
      return problem(`${existing} is not a directory`, `Choose another ${field}.`)
    await access(existing, constants.W_OK | constants.X_OK)
    if (existing !== directory || runs || !(await isLocked(directory))) return undefined
    const hint = 'Stop it, or check that server.admin is the address of the running gateway.'
    return problem(`${directory} is in use by another process, and no gateway answers at server.admin`, hint)
  } catch (error) {
    const code = codeOf(error) ?? String(error)
    return problem(
      `${existing} cannot be written: ${code}`,
      `Give it to the user who runs the gateway, or choose another ${field}.`,
    )
  }
}

/** A directory, or the nearest existing one above it. */
async function nearest(directory: string): Promise<string> {
  for (let path = directory; ; path = dirname(path)) {
    const isThere = await stat(path).then(
      () => true,
      () => false,
    )
    if (isThere || path === dirname(path)) return path
  }
}

type Found = Pick<Finding, 'state' | 'text' | 'hint'>

async function checkRedis(
  { settings, fields }: Loaded,
  store: Extract<StoreSettings, { kind: 'redis' }>,
  clock: Clock,
  limit: Millis,
): Promise<{ readonly found: Found; readonly watched: readonly Watched[]; readonly room?: KeptRoom | undefined }> {
  // Imported late: a site without Redis does not load its client.
  const { inspectRedis } = await import('../../adapters/redis/inspect.ts')
  const place = { ...serverOf(store), prefix: settings.brand, stateDir: settings.server.stateDir }
  try {
    const redis = await inspectRedis(place, clock, limit)
    const watched: Watched[] = [{ who: 'redis', kind: 'redis', readings: [redis.clock] }]
    const { version, roundTrip, policy, refused, warnings, empty } = redis
    const room = roomOfRedis(redis.memory)
    const who = `redis ${version}, ${roundTrip.toFixed(1)} ms`
    const bad = refused ?? warnings[0]
    if (bad !== undefined) {
      const [text = '', hint = ''] = splitAt(bad, ': ')
      const state = refused === undefined ? 'warning' : 'problem'
      return { found: { state, text: `${who}: ${text}`, hint }, watched, room }
    }
    const more = [
      isTls(store.url.reveal()) ? 'TLS' : '',
      policy ? `maxmemory-policy ${policy}` : '',
      empty ? 'empty: the first gateway initialises it' : '',
    ]
    return { found: { state: 'ok', text: [who, ...more.filter(Boolean)].join(', ') }, watched, room }
  } catch (error) {
    const field = fields.get('store')
    const hint = `No request is served until it does${field ? `. It is named in ${field.file}:${field.line}` : ''}`
    return { found: { state: 'problem', text: `${store.shown} cannot be used: ${reasonOf(error)}`, hint }, watched: [] }
  }
}

/** Splits a text into the fault and the remedy. */
function splitAt(text: string, mark: string): readonly [string, string] {
  const at = text.indexOf(mark)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + mark.length)]
}

function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && !error.message) return error.errors.map(reasonOf).join(', ')
  return error instanceof Error ? error.message : String(error)
}

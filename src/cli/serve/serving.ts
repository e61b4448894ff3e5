import { existsSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { ConfigFiles } from '../../adapters/config-files/config-files.ts'
import { processMetrics } from '../../adapters/metrics/metrics.ts'
import { counted, renderText } from '../../config/format/problem-text.ts'
import { type Load, load } from '../../config/load.ts'
import { isLoopback } from '../../config/model/formats.ts'
import type { Loaded, Settings } from '../../config/settings.ts'
import { hasDescriptor } from '../../gateway/descriptors.ts'
import type { Alarm } from '../../gateway/ports.ts'
import { urlOf } from '../../operator/connect.ts'
import { loadedOrFail } from '../../operator/load-files.ts'
import type { Millis } from '../../policy/config.ts'
import type { MainApp } from '../../server/app.ts'
import { type Compare, compareApart } from '../../server/comparer/comparer.ts'
import type { RunningGateway } from '../../server/compose/gateway.ts'
import { startSingle } from '../../server/compose/single.ts'
import { type Examine, examineApart, type Found, foundAs } from '../../server/examiner/examiner.ts'
import { CommandFailed, exitCodes, storeFailure, storeText } from '../../server/failure.ts'
import { tuneCollector } from '../../server/garbage.ts'
import { type Knowing, KnownSecrets, type ProcessLog } from '../../server/log/log.ts'
import { painter, usesColour } from '../../server/log/terminal-text.ts'
import { loadSampler } from '../../server/machine.ts'
import { saveToken } from '../../server/owner-file.ts'
import type { GatewayHooks } from '../../server/parts/hooks.ts'
import { FLUSH_MS } from '../../server/parts/stored.ts'
import { PathWatch } from '../../server/path-watch.ts'
import { type Exit, onSignals } from '../../server/signals.ts'
import { refuseDamaged } from '../../server/store-check.ts'
import { version } from '../../server/version.ts'
import { workerCount } from '../../server/worker-count.ts'
import { within, world } from '../../server/world.ts'
import { type Demo, type DemoOptions, type HeldPort, prepareDemo } from './demo.ts'
import { type Lines, openLines, openLog } from './lines.ts'

/** A gateway of one process or of several. */
type Gateway = RunningGateway<MainApp>

export interface ServeOptions {
  /** Whether to reload whenever a file changes. */
  readonly watch: boolean
  /** True if the operator wants a new store instead of the missing one. */
  readonly newStore?: boolean
  /** Whether an embedded store is checked before it is opened. */
  readonly storeCheck?: boolean
}

/** Serves a configuration until a signal ends it. */
export async function serveConfig(file: string, options: ServeOptions): Promise<void> {
  const main = resolve(file)
  if (await finishChange(main)) console.error('finished a change of the files that was interrupted before')
  const compare = compareApart(dirname(main), process.env)
  await run(() => load(file, process.env, process.cwd()), { ...options, main, compare, examine: examineApart(file) })
}

/** Ends a change of the files that a gateway had begun when it was killed. Whether there was any. */
const finishChange = (main: string): Promise<boolean> =>
  new ConfigFiles(main).finish().catch(error => {
    throw new CommandFailed(`✗ ${error instanceof Error ? error.message : String(error)}`)
  })

/** Serves the policies of this package in front of real backends on loopback. */
export async function serveDemo({ watch, ...options }: ServeOptions & DemoOptions): Promise<void> {
  const demo = await prepareDemo(options)
  try {
    const compare = compareApart(dirname(demo.config), demo.env)
    await run(() => demo.load(), { watch, compare, examine: async () => foundIn(demo.load()) }, demo)
  } catch (error) {
    await demo.close()
    throw error
  }
}

/** Examines in this thread: the files of the package are small, and a demo takes no others. */
function foundIn(result: Load): Found {
  return result.ok ? foundAs(result.loaded, result) : { ...result, text: renderText(result.problems, result.sources) }
}

interface RunOptions extends ServeOptions {
  readonly examine: Examine
  /** The main file that operators may change through the gateway, absolute. */
  readonly main?: string
  readonly compare: Compare
}

async function run(
  loadNow: () => Load,
  { watch, newStore, storeCheck = false, main, compare, examine }: RunOptions,
  demo?: Demo,
): Promise<void> {
  tuneCollector()
  const tellAlarm: Alarm = (...told) => log.alarm(...told)
  const watched = watch ? new PathWatch(() => gateway.reload('watch'), tellAlarm) : undefined
  const examineAgain: Examine = async candidate => {
    const found = await examine(candidate)
    // A candidate's files are not there yet, and nothing is known of files whose examination was ended.
    if (!candidate && found.paths.length > 0) watched?.follow(found.paths)
    return found
  }
  const loaded = loadedOrFail(loadNow())
  const adminToken = tokenFor(loaded)
  let current = (): Knowing => loaded
  const secrets = new KnownSecrets(adminToken)
  const lines = openLines(loaded)
  const log = openLog({
    ...{ lines, secrets, all: () => current() },
    settings: () => (demo ? { ...current().settings.log, format: 'text' } : current().settings.log),
  })
  if (storeCheck) await refuseDamaged(loaded.settings)
  await demo?.releasePorts()
  const hooks: GatewayHooks = {
    adminToken,
    ...tokenFiles(loaded, tellAlarm),
    ...logHooks(log),
    alarm: tellAlarm,
    clean: text => secrets.without(text),
    examine: examineAgain,
    compare,
    ...(newStore && { newStore }),
    // Loaded late: it costs more than a start may take.
    explain: async (serving, line) => (await import('../explain/past.ts')).explainedLine(serving, line),
    ...(main !== undefined && { main }),
    sample: loadSampler(),
    hasDescriptor,
    processMetrics: processMetrics(),
  }
  const gateway = await start(loaded, { ...hooks, ...lines }, () => lost(log)).catch(error =>
    explainStart(error, loaded),
  )
  current = () => gateway.app
  // Whatever changed since it was loaded is found by looking again.
  if (watched) void gateway.reload('watch')
  onSignals({
    reload: () => void gateway.reload('operator'),
    leave: exit => void leave({ gateway, log, ...(demo && { demo }) }, exit),
    cut: () => gateway.cut(),
  })
  const key = demo && (await demo.mintKey(gateway))
  const unkept = demo?.keepProfile()
  if (unkept !== undefined) console.error(`${unkept}\n▲ svcctl finds this demo only with SVCCTL_ADMIN and SVCCTL_TOKEN`)
  const text =
    demo && key
      ? demoBanner({ demo, key, link: operatorLink(gateway), loaded, colour: usesColour(process.stdout) })
      : banner(loaded, gateway)
  log.show(text, 'serving', {
    listen: urlOf(gateway.listen),
    admin: urlOf(gateway.admin, hasAdminTls(gateway)),
    revision: loaded.config.revision,
    version,
  })
  demo?.onExit(what => log.show(`         ${what} has ended`, `${what} has ended`))
}

const logHooks = (log: ProcessLog): Pick<GatewayHooks, 'log' | 'say' | 'droppedLines'> => ({
  log: (entry, config) => log.request(entry, config),
  say: text => log.say(text),
  droppedLines: () => log.dropped,
})

/** How the admin token gets into its file in the state directory, and out of it. */
function tokenFiles({ settings }: Loaded, alarm: Alarm): Pick<GatewayHooks, 'leaveToken' | 'keepToken'> {
  const { stateDir } = settings.server
  return {
    leaveToken: token => leaveToken(stateDir, token),
    keepToken: token => {
      try {
        saveToken(stateDir, token)
      } catch (error) {
        alarm('the admin token could not be written', { error: String(error) })
      }
    },
  }
}

/** One process serves clients itself; of several this one is main. */
async function start(loaded: Loaded, hooks: GatewayHooks & Lines, lost: () => void): Promise<Gateway> {
  const workers = workerCount(loaded.settings)
  if (workers === 1) return startSingle(loaded, world, hooks)
  const { startTree } = await import('../../server/workers/main-process.ts')
  return startTree(loaded, world, { ...hooks, workers, lost })
}

/** The store process ended by itself: the state of running requests is unknown, and the ledger may lack unwritten rows. */
async function lost(log: ProcessLog): Promise<never> {
  log.alarm('the store process ended', {})
  await within(LAST_LINES_MS, log.flush())
  process.exit(exitCodes.unwritten)
}

/** The token of the files, the operator's own, or a fresh one. An exposed listener needs a chosen token, since its clients may read a shared disk too. */
function tokenFor({ settings }: Loaded): string {
  const { admin, adminToken } = settings.server
  const own = process.env.SVCCTL_TOKEN || undefined
  const written = adminToken?.reveal()
  if (own !== undefined && written !== undefined && own !== written)
    throw new CommandFailed('✗ SVCCTL_TOKEN and server.admin_token are different tokens: remove one of them')
  const token = written ?? own
  if (token !== undefined) return token
  if (isLoopback(admin.host)) return Buffer.from(world.random(24)).toString('base64url')
  throw new CommandFailed(
    `✗ the admin listener on ${admin.host} can be reached from elsewhere: set SVCCTL_TOKEN, or server.admin_token`,
  )
}

/** Leaves the token for operators. Throws CommandFailed where it cannot be written. */
function leaveToken(stateDir: string, token: string): void {
  try {
    saveToken(stateDir, token)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new CommandFailed(`✗ server.state_dir ${stateDir} cannot be written: ${why}`)
  }
}

/** Throws failures that an operator can mend as CommandFailed, so that they have no stack trace. */
function explainStart(error: unknown, { settings }: Loaded): never {
  throw listenFailure(error, settings) ?? storeFailure(error, settings.store) ?? error
}

/** The failure of an address that cannot be listened on, with the field that names it. */
function listenFailure(error: unknown, { server }: Settings): CommandFailed | undefined {
  if (!(error instanceof Error && 'syscall' in error && 'code' in error && error.syscall === 'listen')) return undefined
  const port = 'port' in error ? error.port : undefined
  const field = port === server.admin.port && port !== server.listen.port ? 'server.admin' : 'server.listen'
  const address = urlOf(field === 'server.admin' ? server.admin : server.listen).slice('http://'.length)
  const why = LISTEN_FAILURES[String(error.code)] ?? error.message
  return new CommandFailed(`✗ ${field} ${address}: ${why}`)
}

const LISTEN_FAILURES: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another process listens on it; stop that process, or choose another port',
  EACCES: 'this user may not listen on it; ports below 1024 often need a privilege',
  EADDRNOTAVAIL: 'no interface of this machine has this address',
}

interface Running {
  readonly gateway: Gateway
  readonly log: ProcessLog
  readonly demo?: Demo
}

async function leave({ gateway, log, demo }: Running, exit: Exit): Promise<void> {
  log.show('         stopping: running requests may finish; press Ctrl-C again to cut them', 'stopping')
  const written = await gateway.drain()
  await demo?.close()
  if (!written) log.alarm('the ledger could not be written', { error: `not within ${FLUSH_MS / 1000} s` })
  await within(LAST_LINES_MS, log.flush())
  exit(written ? exitCodes.fine : exitCodes.unwritten)
}

/** How long a reader may take to read the last lines. */
const LAST_LINES_MS: Millis = 500

/** The lines that `serve` prints once it serves: where, and with which pools. */
function banner({ config, settings, files }: Loaded, gateway: Gateway): string {
  const pools = [...config.pools.values()].map(pool => `${pool.name} ×${pool.replicas.length}`).join('   ')
  const { plans, models, aliases, tools } = config
  const policy = [
    counted(plans.size, 'plan'),
    counted(models.size, 'model'),
    counted(aliases.size, 'alias'),
    ...(tools.size > 0 ? [counted(tools.size, 'tool')] : []),
  ]
  const processes = workerCount(settings)
  return [
    `svcctl ${version} · ${files[0]} · revision ${config.revision}`,
    '',
    `  API       ${settings.server.publicUrl}/v1        listens on ${urlOf(gateway.listen)}`,
    `  Admin     ${urlOf(gateway.admin, hasAdminTls(gateway))}           health, keys, usage`,
    ...(processes > 1 ? [`  Workers   ${processes}           processes that serve clients`] : []),
    `  Store     ${storeText(settings.store)}`,
    `  Pools     ${pools}`,
    `  Policy    ${policy.join(', ')}`,
    '',
  ].join('\n')
}

/** Opens the console of operators, once, for as long as a reader of the screen may take. */
function operatorLink(gateway: Gateway): string {
  const { app, admin } = gateway
  const { value } = app.sessions.issueCode({ by: 'operator', proof: 'token' }, LINK_LIFE_MS)
  return `${urlOf(admin, hasAdminTls(gateway))}/console#code=${value}`
}

const hasAdminTls = ({ app }: Gateway): boolean => app.settings.server.adminTls !== undefined

const LINK_LIFE_MS: Millis = 600_000

interface DemoScreen {
  readonly demo: Demo
  /** Opens the operators' console. */
  readonly link: string
  /** A full key, which the reader is to use. */
  readonly key: string
  readonly loaded: Loaded
  readonly colour: boolean
}

/**
 * The demo's output: all of it fits a terminal of 80 columns and 24 rows below the lines of npm, and no line is
 * wider than that, so that what is copied from the screen is what was printed.
 */
function demoBanner({ demo, key, link, loaded: { settings }, colour }: DemoScreen): string {
  const paint = painter(colour)
  const { listen } = demo.ports
  const { publicUrl } = settings.server
  const [first, second] = demo.backends
  const row = (label: string, text: string, note: string) =>
    `  ${paint('bold', label.padEnd(9))}${text}${note && `   ${note}`}`
  const named = existsSync('config.yaml') ? ` -c ${relative('', demo.config)}` : ''
  const command = (text: string, note: string) => `  ${paint('bold', text.padEnd(30))}   ${note}`
  const svcctl = (words: string, note: string) => command(`npx --no svcctl ${words}${named}`, note)
  return [
    `${paint('bold', `svcctl ${version} · demo`)}${paint('dim', ' · its backends run here · its store is deleted at the end')}`,
    row('API', `${publicUrl}/v1`, takenText(listen, ' (npm start -- --port N)')),
    row('Console', `${publicUrl}/console`, 'as ada (plan pro) or bob (plan free)'),
    row('Operator', link, ''),
    row('Sign-in', demo.identity.issuer, ''),
    ...demo.missing.map(sentence => row('Missing', sentence, '')),
    '',
    `  ${paint('bold', `export KEY=${key}`)}`,
    '',
    paint('bold', `  curl -i ${publicUrl}/v1/chat/completions \\`),
    paint('bold', `    -H "Authorization: Bearer $KEY" -H 'content-type: application/json' \\`),
    paint('bold', `    -d '{"messages":[{"role":"user","content":"What is 12*7+1?"}]}'`),
    '',
    paint('bold', 'In another terminal, in this folder:'),
    svcctl('quota tail', 'accounts and their requests, live'),
    svcctl('explain --plan free --model svc-pro --chat hi', 'why refused'),
    svcctl('plan', 'what your edits in policies/*.yaml change'),
    svcctl('login', 'sign in; after that: npx --no svcctl whoami'),
    command(`kill ${first?.pid} ${second?.pid}`, 'onprem-core is gone: curl again'),
    '',
  ].join('\n')
}

const takenText = ({ taken }: HeldPort, hint: string): string => (taken === undefined ? '' : `${taken} is taken${hint}`)

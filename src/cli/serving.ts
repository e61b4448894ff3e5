import { isLoopback } from '../config/formats.ts'
import type { Loaded } from '../config/settings.ts'
import { banner } from './banner.ts'
import { type Demo, prepareDemo } from './demo.ts'
import { type RunningGateway, startGateway } from './gateway.ts'
import { loadOrFail } from './load.ts'
import { alarmLine, logLine } from './log-line.ts'
import { storeFailure } from './store.ts'
import { CommandFailed } from './talk.ts'
import { saveToken } from './token.ts'
import { world } from './world.ts'

/** How long requests under way may go on after SIGTERM or the first Ctrl-C. */
const GRACE_MS = 30_000

/** Serves a configuration until a signal ends it. */
export const serveConfig = (file: string): Promise<void> => run(loadOrFail(file), undefined)

/** Serves the policies of this package in front of real backends on loopback. */
export async function serveDemo(): Promise<void> {
  const demo = await prepareDemo()
  try {
    await run(demo.loaded(), demo)
  } catch (error) {
    await demo.close()
    throw error
  }
}

async function run(loaded: Loaded, demo: Demo | undefined): Promise<void> {
  const adminToken = tokenFor(loaded)
  const gateway = await startGateway(loaded, world, {
    adminToken,
    log: entry => console.log(logLine(entry, loaded.config)),
    alarm: (message, details) => console.error(alarmLine(message, details)),
  }).catch(error => explainStart(error, loaded))
  stopOnSignal(gateway, demo)
  saveToken(loaded.settings.server.stateDir, adminToken)
  const key = demo && (await demo.mintKey(gateway))
  console.log(banner(loaded, gateway, demo && key ? { demo, key, adminToken } : undefined))
  demo?.onBackendExit(name => console.log(`         backend ${name} has ended`))
}

/** The operator's own token, or a fresh one. Whoever can reach an exposed listener may also read a shared disk. */
function tokenFor({ settings }: Loaded): string {
  const { admin } = settings.server
  if (process.env.SVCCTL_TOKEN) return process.env.SVCCTL_TOKEN
  if (isLoopback(admin.host)) return Buffer.from(world.random(24)).toString('base64url')
  throw new CommandFailed(`✗ the admin listener on ${admin.host} can be reached from elsewhere: set SVCCTL_TOKEN`)
}

/** Outages that an operator can do something about are told without a stack. */
function explainStart(error: unknown, { settings }: Loaded): never {
  if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') {
    throw new CommandFailed(
      `✗ ${error.message}: another process listens there; choose another server.listen or server.admin`,
    )
  }
  throw storeFailure(error, settings.store) ?? error
}

function stopOnSignal(gateway: RunningGateway, demo: Demo | undefined): void {
  let signals = 0
  const stop = async () => {
    signals++
    if (signals === 2) gateway.cut()
    // Whoever asks a third time does not care what is lost.
    if (signals === 3) process.exit(1)
    if (signals > 1) return
    console.log('         stopping: requests under way may finish; press Ctrl-C again to cut them')
    await gateway.close(GRACE_MS)
    await demo?.close()
    process.exit(0)
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
}

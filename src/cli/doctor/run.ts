import type { Loaded } from '../../config/settings.ts'
import { hasStandIn } from '../../config/stand-ins.ts'
import type { Finding } from '../../gateway/doctor/finding.ts'
import type { Depth } from '../../gateway/doctor/replica.ts'
import { CommandFailed, exitCodes } from '../../server/failure.ts'
import { usesColour } from '../../server/log/terminal-text.ts'
import { world } from '../../server/world.ts'
import { writeOut } from '../kit/terminal.ts'
import { checkArchive } from './check-archive.ts'
import { checkCaches } from './check-caches.ts'
import { checkConfig, checkExposure } from './check-config.ts'
import { checkConsole } from './check-console.ts'
import { checkFleet } from './check-fleet.ts'
import { checkIdentity } from './check-identity.ts'
import { checkNode, clockFinding, type Watched } from './check-machine.ts'
import { askPools } from './check-pools.ts'
import { checkPorts } from './check-ports.ts'
import { checkServedPools } from './check-served-pools.ts'
import { checkStore } from './check-store.ts'
import { checkTools } from './check-tools.ts'
import type { DoctorOptions } from './doctor.ts'
import { findingsJson, findingsText, redacted } from './report.ts'

/** Prints what is found, and exits with 1 where that is a problem. Rejects with CommandFailed for a pool that is not there. */
export async function doctor(options: DoctorOptions): Promise<void> {
  const { finding, loaded, sources, paths } = checkConfig(options.config, process.env, process.cwd())
  const own = [checkNode(process.versions.node), finding]
  const findings = loaded ? [...own, ...(await checkAll({ loaded, sources, paths }, options))] : own
  const shown = loaded ? findings.map(each => redacted(each, loaded.settings)) : findings
  await writeOut([options.json ? findingsJson(shown) : findingsText(shown, usesColour(process.stdout))])
  if (shown.some(({ state }) => state === 'problem')) process.exitCode = exitCodes.bad
}

interface Files {
  readonly loaded: Loaded
  readonly sources: ReadonlyMap<string, string>
  readonly paths: readonly string[]
}

/** All checks run at once, since each may take its time; the findings keep this order. */
async function checkAll(files: Files, options: DoctorOptions): Promise<readonly Finding[]> {
  const { loaded } = files
  const { clock } = world
  const limit = options.timeout * 1000
  const depth: Depth = { generate: options.generate, images: options.images === true, limit }
  const pools = poolsNamed(loaded, options.pool)
  const ports = checkPorts(loaded)
  const [{ finding: portsFound }, store, archive, fleet, identity, consoles, asked, served, tools] = await Promise.all([
    ports,
    ports.then(({ runs }) => checkStore(loaded, runs, clock, limit)),
    checkArchive(loaded, limit),
    ports.then(({ runs }) => checkFleet(loaded, options.config, runs)),
    checkIdentity(loaded, clock, limit),
    checkConsole(loaded, limit),
    askPools({ ...files, pools }, clock, depth),
    ports.then(({ finding, runs }) =>
      checkServedPools(options.config, runs && finding.state !== 'problem', options.pool),
    ),
    checkTools(files, clock, limit),
  ])
  const watched: Watched[] = [...store.watched, ...identity.watched, ...asked.watched]
  const found = [
    portsFound,
    store.finding,
    ...(store.crowded ? [store.crowded] : []),
    ...archive,
    ...fleet,
    clockFinding(watched),
    identity.finding,
    ...consoles,
    // A pool whose backends answer is no good news while the gateway sends nothing there.
    ...asked.findings.filter(({ state, subject }) => state !== 'ok' || !served.some(each => each.subject === subject)),
    ...served,
    ...checkCaches(loaded.config, pools),
    ...tools,
    ...checkExposure(files, process.cwd()),
  ]
  // A value made of an unset variable has nothing to check: the check of the configuration reports the variable.
  return found.filter(({ subject, text }) => !hasStandIn(subject) && !hasStandIn(text))
}

function poolsNamed({ config }: Loaded, names: DoctorOptions['pool']) {
  for (const name of names ?? []) {
    if (config.pools.has(name)) continue
    const known = [...config.pools.keys()].join(', ')
    throw new CommandFailed(`✗ there is no pool ${name}; known pools: ${known}`, exitCodes.usage)
  }
  return [...config.pools.values()].filter(({ name }) => names?.includes(name) ?? true)
}

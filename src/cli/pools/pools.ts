import type { Command } from 'commander'
import type { PoolPlace, PoolsApi } from '../../operator/pools-api.ts'
import { exitCodes } from '../../server/failure.ts'
import { world } from '../../server/world.ts'
import type { ShownPool } from '../../wire/admin/pool.ts'
import { asksFirst, confirm, mayAsk } from '../confirm.ts'
import { refuseEarlyOptions } from '../options.ts'
import { writeJson, writeOut } from '../stdout.ts'
import { type Common, ofGateway } from '../with-operator.ts'
import { poolsText, resultsText } from './pools-text.ts'

interface Sure extends Common {
  readonly yes?: boolean
}

const REPLICA = 'one of its replicas, by its number or URL'
const HOLDS = 'This applies to that gateway process only: it outlasts a reload, but not a restart.'

/** Registers `svcctl pools` and `svcctl pools drain|undrain|probe`. All need a running gateway: exit code 3 without one. */
export function registerPools(program: Command): void {
  const pools = refuseEarlyOptions(ofGateway(program.command('pools')))
    .description('show the pools and replicas of a running gateway: which are ok, ejected or drained')
    // Or --json behind `probe` would be taken for that of `pools`.
    .enablePositionalOptions()
    .action((options: Common) => withPools(options, operator => list(operator, options)))

  asksFirst(ofGateway(pools.command('drain')))
    .description(`send no new requests to a pool or a replica; running ones finish. ${HOLDS}`)
    .argument('<pool>')
    .argument('[replica]', REPLICA)
    .action((pool: string, replica: string | undefined, options: Sure) =>
      withPools(options, operator => drain(operator, placeOf(pool, replica), options)),
    )

  ofGateway(pools.command('undrain'))
    .description('send requests again to a pool or a replica that was drained')
    .argument('<pool>')
    .argument('[replica]', REPLICA)
    .action((pool: string, replica: string | undefined, options: Common) =>
      withPools(options, async operator => tell(await operator.undrain(placeOf(pool, replica)), options)),
    )

  ofGateway(pools.command('probe'))
    .description('send a probe to replicas now; one that answers is no longer ejected. Exits 1 when one fails')
    .argument('[pool]', 'all pools without it')
    .argument('[replica]', REPLICA)
    .action((pool: string | undefined, replica: string | undefined, options: Common) =>
      withPools(options, operator => probe(operator, pool === undefined ? {} : placeOf(pool, replica), options)),
    )
}

async function withPools({ config }: Common, run: (operator: PoolsApi) => Promise<void>): Promise<void> {
  // Only now: the configuration costs more to load than a --help may take.
  const [{ findAdminEndpoint }, { poolsOf }] = await Promise.all([
    import('../../operator/connect.ts'),
    import('../../operator/pools-api.ts'),
  ])
  await run(poolsOf(await findAdminEndpoint(config)))
}

const placeOf = (pool: string, replica: string | undefined): PoolPlace & { readonly pool: string } => ({
  pool,
  ...(replica !== undefined && { replica: /^\d+$/.test(replica) ? Number(replica) : replica }),
})

async function list(operator: PoolsApi, { json }: Common): Promise<void> {
  const data = await operator.list()
  await (json ? writeJson({ object: 'list', data }) : writeOut([`${poolsText(data, world.clock.now())}\n`]))
}

async function drain(operator: PoolsApi, place: PoolPlace & { readonly pool: string }, options: Sure) {
  if (!options.yes) {
    const models = modelsLost(await operator.list(), place)
    if (models.length > 0) {
      mayAsk(options.yes)
      await confirm(
        `No other healthy replica serves ${models.join(', ')} now. Drain ${place.pool} all the same?`,
        false,
      )
    }
  }
  await tell(await operator.drain(place), options)
}

/** Models of the pool that no replica would be left to serve. What the gateway does not know it will refuse. */
export function modelsLost(pools: readonly ShownPool[], { pool: name, replica: named }: PoolPlace): readonly string[] {
  const isDrained = (pool: ShownPool, { replica, url }: ShownPool['replicas'][number]) =>
    pool.pool === name && (named === undefined || named === replica || named === url)
  const isFit = (pool: ShownPool) =>
    pool.replicas.some(replica => replica.state === 'closed' && !isDrained(pool, replica))
  const models = pools.find(({ pool }) => pool === name)?.models ?? []
  return models.filter(model => !pools.some(pool => pool.models.includes(model) && isFit(pool)))
}

/** For scripts the pool as it is now; for people a sentence, on stderr. */
async function tell(pool: ShownPool, { json }: Common): Promise<void> {
  if (json) return writeJson(pool)
  console.error(`✓ ${sentence(pool)}`)
  console.error(`  ${HOLDS}`)
}

function sentence({ pool, drained, replicas, in_flight }: ShownPool): string {
  if (drained) return `${pool} is drained: it gets no new requests; ${in_flight} running may finish.`
  const out = replicas.filter(({ state }) => state === 'drained')
  if (out.length === 0) return `${pool} takes requests, with all of its replicas.`
  const places = out.map(each => `${each.replica} (${each.url}), ${each.in_flight} running`).join('; ')
  return `${pool} takes requests, but for drained replicas: ${places}.`
}

async function probe(operator: PoolsApi, place: PoolPlace, { json }: Common): Promise<void> {
  const data = await operator.probe(place)
  const ok = data.every(each => each.ok)
  await (json ? writeJson({ object: 'list', ok, data }) : writeOut([`${resultsText(data)}\n`]))
  if (!ok) process.exitCode = exitCodes.bad
}

import { createSecureContext } from 'node:tls'
import { type Certificates, type Client, runScript } from './client.ts'
import type { Layout } from './layout.ts'

/** Makes sure that the server neither loses nor multiplies writes. Resolves to warnings and what it said; rejects with StoreRefused. */
export async function checkServer(client: Client, layout: Layout, isCluster: boolean, tag: string | undefined) {
  const info = await readInfo(client)
  const warnings = checkInfo(info, isCluster)
  if (tag !== undefined) await checkPermitted(client, layout, tag)
  return { warnings, info }
}

/** Rejects with StoreRefused where the user of the connection may not do what scripts do. `tag` lies in a slot of the server of a cluster, and is empty elsewhere. */
export async function checkPermitted(client: Client, layout: Layout, tag = ''): Promise<void> {
  const patterns = layout.beginnings.map(name => `~${name}*`).join(' ')
  const refuse = (what: string): never => {
    throw new StoreRefused(`the user of the store may not ${what}: ACL SETUSER <user> ${patterns} ${PERMISSIONS}`)
  }
  const keys = layout.beginnings.map(name => (tag === '' ? `${name}permitted` : `${name}{${tag}}permitted`))
  const lacks = await runScript(client, 'permitted', keys, []).catch(error => {
    if (!(error instanceof Error && error.message.startsWith('NOPERM'))) throw error
    return refuse(`do all that a gateway does (${error.message})`)
  })
  if (lacks.length > 0) refuse(`run ${lacks.join(', ')}`)
}

/** Throws StoreRefused where certificates cannot be used at all. */
export function checkCertificates({ ca, certificate, key }: Certificates = {}): void {
  try {
    createSecureContext({ ...(ca && { ca }), ...(certificate && { cert: certificate }), ...(key && { key }) })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new StoreRefused(`the certificates or the key of \`redis\` cannot be used: ${reason}`)
  }
}

/** The fields of the answer to INFO, by name. */
export type Info = ReadonlyMap<string, string>

export const readInfo = async (client: Client, section?: 'replication' | 'server'): Promise<Info> =>
  new Map((await client.info(section)).split('\n').map(line => fieldOf(line.trim())))

function fieldOf(line: string): readonly [string, string] {
  const at = line.indexOf(':')
  return [line.slice(0, at), line.slice(at + 1)]
}

/** Which server it is, and since which failover: another one may lack what that before it acknowledged. */
export const serverOf = (info: Info): string => `${info.get('run_id')} ${info.get('master_replid')}`

/** Whether it is the server whose process has this id, whatever it follows by now. */
export const isRunOf = (server: string, runId: string): boolean => server.split(' ')[0] === runId

/** As `checkServer`, with fields that were read before. */
export function checkInfo(info: Info, isCluster = false): Warning[] {
  const policy = info.get('maxmemory_policy')
  if (policy !== undefined && policy !== 'noeviction')
    throw new StoreRefused(
      `Redis evicts records when its memory is full (maxmemory-policy ${policy}): set it to noeviction`,
    )
  const isNode = info.get('cluster_enabled') === '1'
  if (isNode && !isCluster)
    throw new StoreRefused('this Redis is a node of a cluster, and has only part of the keys: use redis+cluster://')
  if (isCluster && !isNode) throw new StoreRefused('this Redis is not a cluster node: use redis://')
  if (info.get('role') === 'slave') throw new StoreRefused('this Redis is a read-only replica: name the primary')
  const keepsFile = info.get('aof_enabled') === '1'
  return [...(keepsFile ? [] : ([NO_FILE] as const)), ...(isUnbound(info) ? ([UNBOUND] as const) : [])]
}

/** Whether replicas follow the server. */
export const isFollowed = (info: Info): boolean => Number(info.get('connected_slaves') ?? 0) > 0

/** Whether a primary with replicas takes writes that none of them gets. */
const isUnbound = (info: Info): boolean => isFollowed(info) && info.get('min_slaves_good_slaves') === undefined

const NO_FILE =
  'Redis keeps no append-only file, so a crash loses spend and keys: set appendonly yes, appendfsync always'
const UNBOUND =
  'Redis accepts writes that no replica receives, and a failover loses them: set min-replicas-to-write 1, min-replicas-max-lag 2'

/** Risks in the setup of a Redis server. */
export type Warning = typeof NO_FILE | typeof UNBOUND

/** The server answers, but must not be used. The message is for the operator. */
export class StoreRefused extends Error {
  override readonly name = 'StoreRefused'
}

/** The permissions that the gateway's user needs, as an ACL of Redis says them. */
const PERMISSIONS = '+@read +@write +@scripting +@connection +info +time'

import { parseUrl } from '../../kit/parse-url.ts'
import { PROVIDER_NAMES, type ProviderName, patternOf } from '../../policy/providers/profile.ts'
import { PROFILES } from '../../policy/providers/profiles.ts'

/** The row that the addresses of some replicas imply: that of all of them whose host implies one. */
export function impliedBy(replicas: readonly string[]): ProviderName | undefined {
  const [name, ...others] = new Set(replicas.flatMap(replica => providerAt(replica) ?? []))
  return others.length === 0 ? name : undefined
}

const providerAt = (replica: string): ProviderName | undefined =>
  PROVIDER_NAMES.find(name => PROFILES[name].hosts?.some(host => isOfHost(replica, host)))

/**
 * Where replicas are: at public services over https, which check what their many customers send; at other public names
 * over https, which may be either; or in the operator's own network. The farthest of them counts for the first word, and
 * any public one for the second.
 */
export function whereaboutsOf(replicas: readonly string[]): 'service' | 'public' | 'own' {
  if (replicas.length > 0 && replicas.every(isService)) return 'service'
  return replicas.some(isPublic) ? 'public' : 'own'
}

const isService = (replica: string): boolean =>
  providerAt(replica) !== undefined || OTHER_SERVICES.some(host => isOfHost(replica, host))

/** True for an HTTPS replica whose host name is not on a private network. */
function isPublic(replica: string): boolean {
  const url = parseUrl(replica)
  return url?.protocol === 'https:' && !PRIVATE.test(url.hostname)
}

/** Whether a replica is reached by TLS at a host, or at a name below it. */
function isOfHost(replica: string, host: string): boolean {
  const url = parseUrl(replica)
  if (url?.protocol !== 'https:') return false
  if (host.includes('*')) return patternOf(host, '[a-z0-9-]*').test(url.hostname)
  return url.hostname === host || url.hostname.endsWith(`.${host}`)
}

/** Addresses, names without a dot, and names of private networks. */
const PRIVATE = /^(\[.*\]|[\d.]+|[^.]+)$|\.(local|internal|localhost|lan|home|corp|svc|test)$/i

/** Public services without a row. */
const OTHER_SERVICES = [
  ...['cohere.ai', 'cohere.com', 'perplexity.ai', 'sambanova.ai', 'inference.ai.azure.com', 'googleapis.com'],
  ...['volces.com', 'router.huggingface.co', 'api.deepinfra.com', 'api.novita.ai', 'api.hyperbolic.xyz'],
  ...['api.friendli.ai', 'api.llama.com', 'api.studio.nebius.com', 'integrate.api.nvidia.com'],
  ...['inference.baseten.co', 'api.inference.wandb.ai'],
]

import type { CapField, Fetch } from '../../policy/config.ts'
import type { PoolSection } from '../file.ts'

/** What a pool says of the requests that it takes. */
type Manners = Pick<PoolSection, 'cap' | 'fetch' | 'replicas'>

const BOTH: readonly CapField[] = ['max_tokens', 'max_completion_tokens']

/**
 * The fields that tell the backends of a pool the cap of an answer. A backend of one's own may ignore either name, and gets
 * both; providers refuse what they do not know.
 */
export function capsOf({ cap, replicas }: Manners): readonly CapField[] {
  if (cap !== undefined) return cap === 'both' ? BOTH : [cap]
  if (hostsOf(replicas).some(({ hostname }) => OPENAI.test(hostname))) return ['max_completion_tokens']
  return isOfProvider(replicas) ? ['max_tokens'] : BOTH
}

/** How whole answers are fetched. A provider may refuse streams, as OpenAI does to organizations that it has not verified. */
export const fetchOf = ({ fetch, replicas }: Manners): Fetch => fetch ?? (isOfProvider(replicas) ? 'whole' : 'long')

const hostsOf = (replicas: readonly string[]): readonly URL[] => replicas.map(url => new URL(url))

/** Hosts of OpenAI and Azure: their reasoning models know the newer name alone, and no model takes both. */
const OPENAI = /(^|\.)(openai\.com|openai\.azure\.com|cognitiveservices\.azure\.com|services\.ai\.azure\.com)$/i

/** Whether a provider may stand at any of them: by TLS, under a name that is not of a private network. */
const isOfProvider = (replicas: readonly string[]): boolean =>
  hostsOf(replicas).some(({ protocol, hostname }) => protocol === 'https:' && !PRIVATE.test(hostname))

/** Addresses, names without a dot, and names of private networks. */
const PRIVATE = /^(\[.*\]|[\d.]+|[^.]+)$|\.(local|internal|localhost|lan|home|corp|svc|test)$/i

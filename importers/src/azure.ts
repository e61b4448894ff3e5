/** An address with what follows its question mark, in which Azure has the version of its API. */
export interface Address {
  readonly base: string
  readonly query: readonly (readonly [name: string, value: string])[]
  /** The deployment of Azure that it leads to. */
  readonly deployment?: string | undefined
  /** Whether it leads to Responses. */
  readonly isResponses?: boolean
}

/** The parts of an address, which Azure's portal shows down to the path of one endpoint. */
export function addressIn(text: string, isAzure: boolean): Address {
  const [base = '', search = '', ...more] = text.trim().split('?')
  const query = [...new URLSearchParams(search)]
  if (!/^https?:/.test(base) || more.length > 0 || query.some(([name]) => !NAME.test(name)))
    return { base: text, query: [] }
  const [, root, deployment, endpoint] = (isAzure && AZURE.exec(base.replace(/\/+$/, ''))) || []
  if (root === undefined) return { base, query }
  return { base: root, query, deployment, isResponses: endpoint === 'responses' }
}

const NAME = /^[A-Za-z0-9._~-]{1,64}$/
const AZURE =
  /^(https?:\/\/.+?)\/openai(?:\/deployments\/([^/]+)|\/v1)?(?:\/(chat\/completions|responses|embeddings|images\/generations))?$/

/** A deployment has a path of its own, unless the version is that of the API without versions, or its dialect names it in the body. */
export function azureAt(base: string, model: string, version: string | undefined, isResponses: boolean): string {
  if (isPlain(version)) return `${base}/openai/v1`
  return isResponses ? `${base}/openai` : `${base}/openai/deployments/${model}`
}

const isPlain = (version: string | undefined) => version === undefined || ['v1', 'latest', 'preview'].includes(version)

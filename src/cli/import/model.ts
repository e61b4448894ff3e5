import { type Deployment, perMillion, type Said } from './deployment.ts'

/** What the backends of a model say of it: the first that says something. `gateway` is the one that they come from. */
export function modelOf(deployments: readonly Deployment[], gateway: string) {
  const said = deployments.filter(({ pool }) => pool).map(({ model }) => model)
  const first = <K extends keyof Said>(field: K) =>
    said.find(each => each[field] !== undefined && each[field] !== false)?.[field]
  const { kind = 'chat', tier = 'standard' } = said[0] ?? {}
  const notes: string[] = []
  const price = (usd: number | undefined) => (usd === undefined ? 0 : perMillion(usd))
  if (kind === 'image') {
    const usd = first('imageUsd')
    if (usd === undefined) notes.push(`${gateway} has the price in a list of its own: write it, or nothing is counted.`)
    return { model: { kind, tier, usd_per_image: usd ?? 0 }, notes }
  }
  const context = first('context') ?? ASSUMED_CONTEXT
  if (first('context') === undefined)
    notes.push(`${gateway} has the context in a list of its own: write it where it is another one.`)
  const [input, answers] = [price(first('inputUsd')), price(first('outputUsd'))]
  notes.push(...unpriced(kind, first('inputUsd'), first('outputUsd'), gateway))
  if (kind === 'embedding') return { model: { kind, tier, context, usd_per_1m: { input } }, notes }
  const [cached, cacheWrite] = [first('cachedUsd'), first('cacheWriteUsd')]
  const output = Math.min(first('maxOutput') ?? USUAL_MAX_OUTPUT, Math.max(1, Math.floor(context / 2)))
  return {
    model: {
      ...{ kind, tier, context },
      ...(output !== USUAL_MAX_OUTPUT && { max_output: output }),
      ...(first('vision') === true && { vision: true }),
      usd_per_1m: {
        ...{ input, output: answers },
        ...(cached !== undefined && { cached_input: price(cached) }),
        ...(cacheWrite !== undefined && { cache_write: price(cacheWrite) }),
      },
    },
    notes,
  }
}

/** What of the price is not in the file, so that it is nothing here. */
function unpriced(
  kind: Said['kind'],
  input: number | undefined,
  output: number | undefined,
  gateway: string,
): readonly string[] {
  if (input === undefined) return [`${gateway} has the price in a list of its own: write it, or budgets count nothing.`]
  if (kind === 'embedding' || output !== undefined) return []
  return [`${gateway} has the price of answers in a list of its own: write it, or they cost nothing.`]
}

const ASSUMED_CONTEXT = 128_000
const USUAL_MAX_OUTPUT = 4000
